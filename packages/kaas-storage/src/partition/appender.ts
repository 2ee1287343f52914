import {
  type AppendResult,
  ErrorCode,
  KaasError,
  type RecordError,
  type TransactionEnd,
  type TransactionGuard,
  type TransactionStart,
} from "@kaas/core";
import { batch, buildTransactionMarker, crc32c, loadCodec, recompressBatch, validateBatch } from "@kaas/core/internal";
import type { Committer } from "./committer.js";
import type { LogCore } from "./log-core.js";
import {
  findDuplicate,
  judgeSequence,
  NO_TRANSACTION,
  ProducerState,
  recordBatch,
  recordMarker,
  type Sequenced,
} from "./producer-states.js";
import { needsDecoding, recordFault, topicCodec } from "./record-rules.js";
import { markerRefusal } from "./transaction-rules.js";

type Resolve = (result: AppendResult) => void;

/** Something to be appended, and who waits for it. */
interface Request {
  readonly acks: -1 | 0 | 1;
  readonly guard: TransactionGuard | undefined;
  readonly resolve: Resolve;
}

/** A request that waits for a codec to be loaded; all that come after it wait with it. */
interface Deferred {
  readonly resolve: Resolve;
  run(): void;
}

/** Why an append does not happen, or has happened before. */
interface Refusal {
  readonly errorCode: ErrorCode;
  readonly message: string;
  readonly recordErrors?: readonly RecordError[];
}

interface Duplicate {
  readonly kind: "duplicate";
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly timestamp: number;
}

type Verdict = Duplicate | (Refusal & { readonly kind: "refused" });

/**
 * The synchronous part of an append: validates, recognises retries, gives offsets, queues. The order of calls is the
 * order of offsets. Reads and rewrites batch headers; records are decoded only where the topic asks for something that
 * no header says.
 */
export class Appender {
  readonly #core: LogCore;
  readonly #committer: Committer;
  #deferred: Deferred[] | undefined;
  #isZstdLoaded = false;

  constructor(core: LogCore, committer: Committer) {
    this.#core = core;
    this.#committer = committer;
  }

  append(records: Buffer, acks: -1 | 0 | 1, guard?: TransactionGuard): Promise<AppendResult> {
    return new Promise((resolve) => {
      const request = { acks, guard, resolve };
      if (this.#deferred === undefined) this.#append(records, request);
      else this.#deferred.push({ resolve, run: () => this.#append(records, request) });
    });
  }

  guardTransaction(start: TransactionStart): TransactionGuard | undefined {
    const { producers, guards, environment } = this.#core;
    const state = producers.get(start.producerId);
    const isOngoing = state?.hasOpenTransaction === true && state.producerEpoch === start.producerEpoch;
    return isOngoing ? undefined : guards.obtain(start, environment.clock.now());
  }

  /** Appends a marker, behind all that was appended before. */
  endTransaction(end: TransactionEnd): Promise<AppendResult> {
    return new Promise((resolve) => {
      if (this.#deferred === undefined) this.#end(end, resolve);
      else this.#deferred.push({ resolve, run: () => this.#end(end, resolve) });
    });
  }

  /**
   * A marker is small, and others wait for what it sets free: neither an almost full volume nor the largest size of a
   * batch keeps it out.
   */
  #end(end: TransactionEnd, resolve: Resolve): void {
    const core = this.#core;
    const { producers, transactions, guards, aborted } = core;
    const { producerId } = end;
    const now = core.environment.clock.now();
    const known = producers.get(producerId);
    const refusal = this.#unserved() ?? markerRefusal(known, end);
    if (refusal !== undefined) return this.#refuse(refusal, resolve);
    const firstOffset = known?.transactionStartOffset ?? NO_TRANSACTION;
    const lastOffset = core.logEndOffset;
    recordMarker(known ?? producers.obtain(producerId), end, now, now);
    guards.void(producerId);
    core.hasUnsavedProducers = true;
    if (firstOffset !== NO_TRANSACTION) {
      const lastStableOffset = transactions.end(firstOffset, lastOffset);
      if (!end.isCommit) aborted.note({ producerId, firstOffset, lastOffset, lastStableOffset });
    }
    this.#enqueue(buildTransactionMarker({ ...end, timestamp: now }), -1, now, resolve);
  }

  #append(records: Buffer, request: Request): void {
    const core = this.#core;
    const now = core.environment.clock.now();
    const refusal = this.#overloaded(records) ?? this.#invalid(records);
    if (refusal !== undefined) return this.#refuse(refusal, request.resolve);
    if (this.#mustDecode(records, now)) {
      if (!this.#isZstdLoaded && this.#involvesZstd(records)) return this.#defer(records, request);
      this.#appendDecoded(records, request, now);
    } else {
      this.#number(records, request, now);
    }
  }

  #unserved(): Refusal | undefined {
    const { health } = this.#core;
    if (health === ErrorCode.NONE) return undefined;
    return { errorCode: health, message: "the partition is not served at the moment" };
  }

  #overloaded(records: Buffer): Refusal | undefined {
    const { environment } = this.#core;
    const unserved = this.#unserved();
    if (unserved !== undefined) return unserved;
    if (environment.space.isLow) {
      return { errorCode: ErrorCode.KAFKA_STORAGE_ERROR, message: "the volume is almost full" };
    }
    if (this.#committer.queuedBytes + records.length > environment.queuedBytesMax) {
      return { errorCode: ErrorCode.REQUEST_TIMED_OUT, message: "the disk does not keep up with what is produced" };
    }
    return undefined;
  }

  /** Holds every batch to what all batches are held to. */
  #invalid(records: Buffer): Refusal | undefined {
    const rules = { maxMessageBytes: this.#core.config.maxMessageBytes, origin: "client" } as const;
    let at = 0;
    do {
      const fault = validateBatch(records, at, records.length, rules);
      if (fault !== undefined) return fault;
      at += batch.batchSize(records, at);
    } while (at < records.length);
    return undefined;
  }

  #mustDecode(records: Buffer, now: number): boolean {
    for (let at = 0; at < records.length; at += batch.batchSize(records, at)) {
      if (needsDecoding(records, at, this.#core.config, now)) return true;
    }
    return false;
  }

  #involvesZstd(records: Buffer): boolean {
    if (topicCodec(this.#core.config) === batch.Compression.ZSTD) return true;
    for (let at = 0; at < records.length; at += batch.batchSize(records, at)) {
      if (batch.compression(records, at) === batch.Compression.ZSTD) return true;
    }
    return false;
  }

  /** Checks records one by one, and compresses them anew where the topic has a codec of its own. */
  #appendDecoded(records: Buffer, request: Request, now: number): void {
    const { config } = this.#core;
    const { resolve } = request;
    const codec = topicCodec(config);
    const batches: Buffer[] = [];
    try {
      for (let at = 0; at < records.length; ) {
        const fault = recordFault(records, at, config, now);
        if (fault !== undefined) return this.#refuse(fault, resolve);
        const end = at + batch.batchSize(records, at);
        const keeps = codec === undefined || codec === batch.compression(records, at);
        batches.push(keeps ? records.subarray(at, end) : recompressBatch(records, at, codec));
        at = end;
      }
    } catch (error) {
      // Only what the records themselves say is the client's fault.
      if (!(error instanceof KaasError)) throw error;
      return this.#refuse({ errorCode: ErrorCode.INVALID_RECORD, message: error.message }, resolve);
    }
    const largest = Math.max(...batches.map((one) => one.length));
    if (largest > config.maxMessageBytes) {
      const message = `compressed as the topic wants it, the batch has ${largest} bytes`;
      return this.#refuse({ errorCode: ErrorCode.MESSAGE_TOO_LARGE, message }, resolve);
    }
    const [first] = batches;
    this.#number(batches.length === 1 && first !== undefined ? first : Buffer.concat(batches), request, now);
  }

  /** Recognises retries, and queues what is new. */
  #number(records: Buffer, { acks, guard, resolve }: Request, now: number): void {
    const isSingle = batch.batchSize(records, 0) === records.length;
    const verdict = isSingle ? this.#sequenceOne(records, guard, now) : this.#sequenceAll(records, guard, now);
    if (verdict === undefined) this.#enqueue(records, acks, now, resolve);
    else if (verdict.kind === "refused") this.#refuse(verdict, resolve);
    else void this.#answerDuplicate(verdict, acks, resolve);
  }

  /** Gives offsets and queues. */
  #enqueue(records: Buffer, acks: -1 | 0 | 1, now: number, resolve: Resolve): void {
    const core = this.#core;
    const stampsTime = core.config.messageTimestampType === "LogAppendTime";
    const baseOffset = core.logEndOffset;
    let nextOffset = baseOffset;
    let maxTimestamp = -1;
    let maxTimestampOffset = baseOffset;
    for (let at = 0; at < records.length; at += batch.batchSize(records, at)) {
      batch.setBaseOffset(records, at, nextOffset);
      batch.setLeaderEpoch(records, at, core.epoch);
      if (stampsTime) stampAppendTime(records, at, now);
      const timestamp = batch.maxTimestamp(records, at);
      if (timestamp > maxTimestamp) {
        maxTimestamp = timestamp;
        maxTimestampOffset = nextOffset;
      }
      nextOffset += batch.lastOffsetDelta(records, at) + 1;
    }
    core.logEndOffset = nextOffset;
    core.environment.space.noteAppend(records.length);
    this.#committer.enqueue({
      buffer: records,
      baseOffset,
      nextOffset,
      recordCount: nextOffset - baseOffset,
      maxTimestamp,
      maxTimestampOffset,
      acks,
      logAppendTimeMs: stampsTime ? now : -1,
      resolve,
    });
  }

  /** What almost every append is: one batch. */
  #sequenceOne(records: Buffer, guard: TransactionGuard | undefined, now: number): Verdict | undefined {
    const producerId = batch.producerId(records, 0);
    if (producerId < 0) return undefined;
    const { producers, logEndOffset } = this.#core;
    const known = producers.get(producerId);
    const sequenced = sequenceOf(records, 0);
    const verdict = this.#judge(producerId, known, sequenced, guard);
    if (verdict !== undefined) return verdict;
    const state = known ?? producers.obtain(producerId);
    const hadTransaction = state.hasOpenTransaction;
    recordBatch(state, sequenced, logEndOffset, this.#timestampOf(records, 0, now), now);
    if (sequenced.isTransactional) this.#noteTransaction(state, hadTransaction);
    this.#core.hasUnsavedProducers = true;
    return undefined;
  }

  /** Several batches are appended together or not at all, so producers are brought up to date on copies first. */
  #sequenceAll(records: Buffer, guard: TransactionGuard | undefined, now: number): Verdict | undefined {
    const { producers, logEndOffset } = this.#core;
    const changed = new Map<number, ProducerState>();
    let offset = logEndOffset;
    for (let at = 0; at < records.length; at += batch.batchSize(records, at)) {
      const producerId = batch.producerId(records, at);
      const sequenced = sequenceOf(records, at);
      if (producerId >= 0) {
        const state = changed.get(producerId) ?? producers.get(producerId)?.clone() ?? new ProducerState(producerId);
        const verdict = this.#judge(producerId, state, sequenced, guard);
        if (verdict !== undefined) return verdict;
        recordBatch(state, sequenced, offset, this.#timestampOf(records, at, now), now);
        changed.set(producerId, state);
      }
      offset += sequenced.recordCount;
    }
    const opened = [...changed.values()].sort((a, b) => a.transactionStartOffset - b.transactionStartOffset);
    for (const state of opened) {
      if (state.hasOpenTransaction) this.#noteTransaction(state, state.transactionStartOffset < logEndOffset);
      producers.set(state);
    }
    if (changed.size > 0) this.#core.hasUnsavedProducers = true;
    return undefined;
  }

  /** Undefined for a batch that is to be appended. */
  #judge(
    producerId: number,
    state: ProducerState | undefined,
    sequenced: Sequenced,
    guard: TransactionGuard | undefined,
  ): Verdict | undefined {
    const { guards } = this.#core;
    const verdict =
      findDuplicate(state, sequenced) ??
      guards.refusal(producerId, state, sequenced, guard) ??
      judgeSequence(state, sequenced, guards.firstSequenceMax(producerId, state, sequenced));
    if (verdict.kind === "new") return undefined;
    if (verdict.kind === "refused") return verdict;
    return { ...verdict, nextOffset: verdict.baseOffset + sequenced.recordCount };
  }

  #noteTransaction({ producerId, transactionStartOffset }: ProducerState, isOlder: boolean): void {
    if (!isOlder) this.#core.transactions.begin(transactionStartOffset);
    this.#core.guards.void(producerId);
  }

  #timestampOf(records: Buffer, at: number, now: number): number {
    return this.#core.config.messageTimestampType === "LogAppendTime" ? now : batch.maxTimestamp(records, at);
  }

  /** A retry is answered like the original: with its offset, and not before it is as safe as asked for. */
  async #answerDuplicate(original: Duplicate, acks: -1 | 0 | 1, resolve: Resolve): Promise<void> {
    const core = this.#core;
    const errorCode = acks === -1 ? await this.#committer.whenVisible(original.nextOffset) : ErrorCode.NONE;
    const stampsTime = core.config.messageTimestampType === "LogAppendTime";
    if (errorCode === ErrorCode.NONE) resolve(core.accepted(original.baseOffset, stampsTime ? original.timestamp : -1));
    else resolve(core.refusal(errorCode, null));
  }

  #refuse({ errorCode, message, recordErrors }: Refusal, resolve: Resolve): void {
    const refusal = this.#core.refusal(errorCode, message);
    resolve(recordErrors === undefined ? refusal : { ...refusal, recordErrors });
  }

  /** Of the codecs, zstd has to be loaded before it can be used synchronously. */
  #defer(records: Buffer, request: Request): void {
    this.#deferred = [{ resolve: request.resolve, run: () => this.#append(records, request) }];
    loadCodec(batch.Compression.ZSTD).then(
      () => this.#resume(),
      (error: unknown) => this.#refuseDeferred(error),
    );
  }

  #resume(): void {
    this.#isZstdLoaded = true;
    const waiting = this.#deferred ?? [];
    this.#deferred = undefined;
    for (const one of waiting) one.run();
  }

  #refuseDeferred(error: unknown): void {
    const waiting = this.#deferred ?? [];
    this.#deferred = undefined;
    const message = error instanceof Error ? error.message : "zstd could not be loaded";
    for (const { resolve } of waiting) this.#refuse({ errorCode: ErrorCode.UNKNOWN_SERVER_ERROR, message }, resolve);
  }
}

function sequenceOf(records: Buffer, at: number): Sequenced {
  return {
    producerEpoch: batch.producerEpoch(records, at),
    firstSequence: batch.baseSequence(records, at),
    recordCount: batch.recordCount(records, at),
    isTransactional: batch.isTransactional(records, at),
  };
}

/** The broker's time for all records of a batch; the checksum covers it. */
function stampAppendTime(records: Buffer, at: number, now: number): void {
  batch.setAttributes(records, at, batch.attributes(records, at) | batch.Attribute.LOG_APPEND_TIME);
  batch.setMaxTimestamp(records, at, now);
  batch.setCrc(records, at, crc32c(records, at + batch.BATCH_CRC_START, at + batch.batchSize(records, at)));
}
