// A log of kaas's, and what was put into it: what Apache Kafka's tool has to find in its files.
import type { AppendResult, LogConfig, PartitionLog } from "../../packages/kaas-core/src/index.js";
import { type BatchOptions, buildBatch, type RecordInput } from "../../packages/kaas-core/src/internal.js";
import { posixFileSystem } from "../../packages/kaas-storage/src/file-system/posix.js";
import { openTestVolume, type TestVolume } from "../../packages/kaas-storage/src/testing/open-test-volume.js";
import type { DumpedBatch, DumpedRecord } from "./dumped.js";

export const TIME = 1_700_000_000_000;
const CODECS = ["none", "gzip", "snappy", "lz4", "zstd"] as const;

export interface Aborted {
  readonly producerId: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
  readonly lastStableOffset: number;
}

/** The only partition of a volume in a folder of its own. Each opening is an epoch. */
export class WrittenLog {
  readonly directory: string;
  readonly config: Partial<LogConfig>;
  batches: DumpedBatch[] = [];
  readonly aborted: Aborted[] = [];
  #volume: TestVolume | undefined;
  #log: PartitionLog | undefined;
  #end = 0;

  constructor(directory: string, config: Partial<LogConfig> = {}) {
    this.directory = directory;
    this.config = config;
  }

  async open(): Promise<void> {
    this.#volume = await openTestVolume(posixFileSystem, { directory: this.directory });
    this.#log = await this.#volume.partition(this.config);
  }

  async close(): Promise<void> {
    await this.#volume?.close();
  }

  /** What is in it goes on in another folder; this one is used no more. */
  continueIn(directory: string): WrittenLog {
    const next = new WrittenLog(directory, this.config);
    next.batches = [...this.batches];
    next.aborted.push(...this.aborted);
    next.#end = this.#end;
    return next;
  }

  async append(records: readonly RecordInput[], options: BatchOptions = {}): Promise<void> {
    const log = this.#opened();
    const { producerId = -1, producerEpoch = -1, baseSequence = -1, isTransactional = false } = options;
    const guard = isTransactional
      ? log.guardTransaction({ producerId, producerEpoch, baseSequence, supportsEpochBump: false })
      : undefined;
    this.#succeeded(await log.append(buildBatch(records, options), -1, guard));
    const baseOffset = this.#end;
    this.#end += records.length;
    this.batches.push({
      baseOffset,
      lastOffset: this.#end - 1,
      codec: CODECS[options.compression ?? 0] ?? "",
      producer: `${producerId} ${producerEpoch} ${baseSequence}`,
      epoch: log.leaderEpoch,
      isTransactional,
      isControl: false,
      deleteHorizon: undefined,
      records: records.map((record, index) => dumpedRecord(record, baseOffset + index)),
    });
  }

  async endTransaction(producerId: number, producerEpoch: number, isCommit: boolean): Promise<void> {
    const log = this.#opened();
    const coordinatorEpoch = 3;
    const marker = { producerId, producerEpoch, isCommit, coordinatorEpoch, transactionVersion: 0 } as const;
    this.#succeeded(await log.endTransaction(marker));
    const offset = this.#end++;
    this.batches.push({
      baseOffset: offset,
      lastOffset: offset,
      codec: "none",
      producer: `${producerId} ${producerEpoch} -1`,
      epoch: log.leaderEpoch,
      isTransactional: true,
      isControl: true,
      deleteHorizon: undefined,
      records: [{ offset, marker: `${isCommit ? "COMMIT" : "ABORT"} ${coordinatorEpoch}` }],
    });
  }

  async compact(): Promise<void> {
    await this.#volume?.logs.compact();
  }

  #opened(): PartitionLog {
    if (this.#log === undefined) throw new Error(`${this.directory} is not open`);
    return this.#log;
  }

  #succeeded({ errorCode, baseOffset }: AppendResult): void {
    if (errorCode !== 0) throw new Error(`an append to ${this.directory} failed with ${errorCode}`);
    if (baseOffset !== this.#end) throw new Error(`an append got offset ${baseOffset} where ${this.#end} was due`);
  }
}

function dumpedRecord(record: RecordInput, offset: number): DumpedRecord {
  return {
    offset,
    timestamp: record.timestamp ?? 0,
    key: record.key?.toString() ?? null,
    value: record.value?.toString() ?? null,
    headers: (record.headers ?? []).map(({ key }) => key).join(),
  };
}
