import { ErrorCode } from "../../src/errors/error-codes.js";
import type {
  AbortedTransaction,
  AppendResult,
  LogConfig,
  LogListener,
  PartitionId,
  PartitionLog,
  ProducerStateView,
  ReadOptions,
  ReadResult,
  TimestampOffset,
  TransactionEnd,
  TransactionGuard,
  TransactionStart,
} from "../../src/ports/partition-logs.js";
import type { Lease, SharedLease } from "../../src/ports/memory.js";
import { buildTransactionMarker } from "../../src/records/control-batch.js";

interface StoredBatch {
  readonly offset: number;
  readonly bytes: Buffer;
}

/** A log of opaque one-record batches in memory, with switches for the things a test wants to go wrong. */
export class FakePartitionLog implements PartitionLog {
  readonly id: PartitionId;
  leaderEpoch = 3;
  logStartOffset = 0;
  health: ErrorCode = ErrorCode.NONE;
  /** When set, reads resolve later, as from a cold disk. */
  slowReads = false;
  readonly configured: LogConfig[] = [];
  readonly listeners: Set<LogListener> = new Set();
  readonly #batches: StoredBatch[] = [];
  #waiting: (() => void)[] = [];
  /** When set, appends with acks=-1 stay unanswered until {@link release}. */
  holdAppends = false;
  /** First offset of a transaction that is open; read_committed consumers see nothing from there on. */
  openTransactionOffset: number | undefined;
  /** What read_committed consumers are told to skip. */
  abortedTransactions: readonly AbortedTransaction[] = [];

  constructor(id: PartitionId) {
    this.id = id;
  }

  get logEndOffset(): number {
    return this.logStartOffset + this.#batches.length;
  }

  get highWatermark(): number {
    return this.logEndOffset;
  }

  get lastStableOffset(): number {
    return this.openTransactionOffset ?? this.logEndOffset;
  }

  get sizeBytes(): number {
    return this.#batches.reduce((size, { bytes }) => size + bytes.length, 0);
  }

  /** What the memory of the records that it keeps is lent by. */
  readonly held: SharedLease[] = [];

  append(records: Buffer, acks: -1 | 0 | 1, _guard?: TransactionGuard, memory?: SharedLease): Promise<AppendResult> {
    if (memory !== undefined) {
      memory.retain();
      this.held.push(memory);
    }
    const baseOffset = this.logEndOffset;
    this.#batches.push({ offset: baseOffset, bytes: records });
    for (const listener of [...this.listeners]) listener.logAdvanced(this);
    const result: AppendResult = {
      errorCode: ErrorCode.NONE,
      baseOffset,
      logAppendTimeMs: -1,
      logStartOffset: this.logStartOffset,
      recordErrors: [],
      errorMessage: null,
    };
    if (!this.holdAppends || acks !== -1) return Promise.resolve(result);
    return new Promise((resolve) => this.#waiting.push(() => resolve(result)));
  }

  guardTransaction({ producerId }: TransactionStart): TransactionGuard {
    return { producerId };
  }

  endTransaction(end: TransactionEnd): Promise<AppendResult> {
    return this.append(buildTransactionMarker({ ...end, timestamp: 0 }), -1);
  }

  release(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting = [];
  }

  read(offset: number, options: ReadOptions): ReadResult | Promise<ReadResult> {
    const result = this.#read(offset, options);
    return this.slowReads ? Promise.resolve(result) : result;
  }

  #read(offset: number, { maxBytes, minOneBatch, isolation }: ReadOptions): ReadResult {
    const inRange = offset >= this.logStartOffset && offset <= this.logEndOffset;
    const records: Buffer[] = [];
    let sizeBytes = 0;
    for (const batch of this.#batches) {
      if (!inRange || batch.offset < offset) continue;
      if (isolation === "read_committed" && batch.offset >= this.lastStableOffset) break;
      const fits = sizeBytes + batch.bytes.length <= maxBytes || (minOneBatch && records.length === 0);
      if (!fits) break;
      records.push(batch.bytes);
      sizeBytes += batch.bytes.length;
    }
    return {
      errorCode: inRange ? this.health : ErrorCode.OFFSET_OUT_OF_RANGE,
      records,
      sizeBytes,
      lease: records.length === 0 ? undefined : this.#lend(),
      highWatermark: this.highWatermark,
      lastStableOffset: this.lastStableOffset,
      logStartOffset: this.logStartOffset,
      abortedTransactions: isolation === "read_committed" ? this.abortedTransactions : null,
    };
  }

  /** Reads whose memory has not come back. */
  lent = 0;

  #lend(): Lease {
    this.lent++;
    let isLent = true;
    return {
      release: () => {
        if (!isLent) throw new Error("a read was released twice");
        isLent = false;
        this.lent--;
      },
    };
  }

  offsetForTimestamp(timestamp: number): Promise<TimestampOffset | undefined> {
    const found = timestamp < this.logEndOffset;
    return Promise.resolve(found ? { timestamp, offset: timestamp, leaderEpoch: this.leaderEpoch } : undefined);
  }

  offsetOfMaxTimestamp(): Promise<TimestampOffset | undefined> {
    const offset = this.logEndOffset - 1;
    return Promise.resolve(offset < 0 ? undefined : { timestamp: offset, offset, leaderEpoch: this.leaderEpoch });
  }

  epochAt(offset: number): number {
    if (offset <= this.logStartOffset) return -1;
    return this.leaderEpoch;
  }

  /** The log began at epoch 2, which ended at offset 1. */
  endOffsetForEpoch(epoch: number): { epoch: number; endOffset: number } {
    if (epoch < 2) return { epoch: -1, endOffset: -1 };
    if (epoch === 2) return { epoch: 2, endOffset: 1 };
    return { epoch: this.leaderEpoch, endOffset: this.logEndOffset };
  }

  deleteRecords(offset: number): Promise<{ errorCode: ErrorCode; lowWatermark: number }> {
    const target = offset === -1 ? this.highWatermark : offset;
    if (target > this.highWatermark)
      return Promise.resolve({ errorCode: ErrorCode.OFFSET_OUT_OF_RANGE, lowWatermark: -1 });
    this.#batches.splice(0, target - this.logStartOffset);
    this.logStartOffset = target;
    return Promise.resolve({ errorCode: ErrorCode.NONE, lowWatermark: target });
  }

  producers(): readonly ProducerStateView[] {
    return [];
  }

  configure(config: LogConfig): void {
    this.configured.push(config);
  }

  addListener(listener: LogListener): void {
    this.listeners.add(listener);
  }

  removeListener(listener: LogListener): void {
    this.listeners.delete(listener);
  }
}
