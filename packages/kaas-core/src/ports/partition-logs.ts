import type { ErrorCode } from "../errors/error-codes.js";
import type { Lease, SharedLease } from "./memory.js";

/** What a partition is: the name may come again after deletion, the id never does. */
export interface PartitionId {
  readonly topic: string;
  /** 22 characters of base64url. */
  readonly topicId: string;
  readonly partition: number;
}

/** Topic configuration as the log needs it: parsed, defaults filled in. Names follow Kafka's topic configs. */
export interface LogConfig {
  readonly segmentBytes: number;
  readonly segmentMs: number;
  readonly segmentJitterMs: number;
  readonly segmentIndexBytes: number;
  readonly indexIntervalBytes: number;
  /** −1: unlimited. */
  readonly retentionMs: number;
  /** −1: unlimited. */
  readonly retentionBytes: number;
  readonly cleanupPolicy: { readonly delete: boolean; readonly compact: boolean };
  /** How long a tombstone stays once compaction has come across it. */
  readonly deleteRetentionMs: number;
  /** How long records are left alone by compaction, and how long they may be. */
  readonly minCompactionLagMs: number;
  readonly maxCompactionLagMs: number;
  /** Share of bytes that were never compacted above which a log is worth it; 0 to 1. */
  readonly minCleanableDirtyRatio: number;
  readonly fileDeleteDelayMs: number;
  /** 1: every group of appends is fsynced before it is acknowledged. N: every N messages. 0: at roll only. */
  readonly flushMessages: number;
  readonly flushMs: number;
  readonly maxMessageBytes: number;
  /** Of a record in a compressed batch, expanded; what is larger is refused. */
  readonly maxDecompressedMessageBytes: number;
  readonly compressionType: "producer" | "uncompressed" | "gzip" | "snappy" | "lz4" | "zstd";
  /** Where batches are compressed anew. */
  readonly compressionLevels: { readonly gzip: number; readonly lz4: number; readonly zstd: number };
  readonly messageTimestampType: "CreateTime" | "LogAppendTime";
  readonly messageTimestampBeforeMaxMs: number;
  readonly messageTimestampAfterMaxMs: number;
  readonly preallocate: boolean;
}

/** One record of a refused batch, and why (KIP-467). */
export interface RecordError {
  readonly batchIndex: number;
  readonly message: string | null;
}

/** What became of an append, or of a marker. Offsets are −1 where nothing was appended. */
export interface AppendResult {
  readonly errorCode: ErrorCode;
  /** Offset of the first record; −1 on error. Of the original batch where a duplicate was recognised. */
  readonly baseOffset: number;
  /** The broker's time with `LogAppendTime`, else −1. */
  readonly logAppendTimeMs: number;
  readonly logStartOffset: number;
  readonly recordErrors: readonly RecordError[];
  readonly errorMessage: string | null;
}

/** How much is read, and up to where: the fields of Fetch that a log goes by. */
export interface ReadOptions {
  /** Upper bound of the records returned, in bytes; batches are never cut. */
  readonly maxBytes: number;
  /** Return the first batch even if it is larger than `maxBytes`. */
  readonly minOneBatch: boolean;
  /** Up to where data is visible. */
  readonly isolation: "read_uncommitted" | "read_committed";
}

/** A transaction whose records a read_committed consumer must skip. */
export interface AbortedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
}

/** What a read found, and how the log was at that moment. Not finding anything is no error: `records` is empty then. */
export interface ReadResult {
  /** `OFFSET_OUT_OF_RANGE`, `KAFKA_STORAGE_ERROR`, `NOT_LEADER_OR_FOLLOWER` or `NONE`. */
  readonly errorCode: ErrorCode;
  /** Whole batches as they lie in the log; the first holds the asked offset. Views of memory that is not the caller's. */
  readonly records: readonly Buffer[];
  /**
   * What the memory of `records` is lent by. Whoever gets a result releases it, once, when nobody looks at the records
   * any more: until then the log lends less to others. Undefined where nothing is lent.
   */
  readonly lease: Lease | undefined;
  readonly sizeBytes: number;
  readonly highWatermark: number;
  readonly lastStableOffset: number;
  readonly logStartOffset: number;
  /** Sorted by first offset; null for read_uncommitted. */
  readonly abortedTransactions: readonly AbortedTransaction[] | null;
}

/**
 * A record that was looked for by its time (ListOffsets): its timestamp in milliseconds, its offset, the epoch it was
 * appended in.
 */
export interface TimestampOffset {
  readonly timestamp: number;
  readonly offset: number;
  readonly leaderEpoch: number;
}

/** Called after the high watermark, the last stable offset or the log start moved, and when the log closes. */
export interface LogListener {
  logAdvanced(log: PartitionLog): void;
}

/** What DescribeProducers and the idempotence window know about a producer. */
export interface ProducerStateView {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly lastSequence: number;
  readonly lastTimestamp: number;
  readonly coordinatorEpoch: number;
  /** −1: no open transaction. */
  readonly currentTransactionStartOffset: number;
}

/** A producer that wants to begin a transaction on a partition, as its first batch says. */
export interface TransactionStart {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  /** Version 2 of transactions: every transaction has an epoch of its own, whose sequence numbers begin with 0. */
  readonly supportsEpochBump: boolean;
}

/**
 * Leave to begin one transaction on one partition (KIP-890): asked for before the coordinator is asked whether it knows
 * of the transaction, and handed to `append` once it does. It is void as soon as the transaction has begun, or a marker
 * of its producer was written in between. Known by identity.
 */
export interface TransactionGuard {
  readonly producerId: number;
}

/** The end of a producer's transaction, as its coordinator decided it. */
export interface TransactionEnd {
  readonly producerId: number;
  /** That of the transaction; one more in version 2, and where the coordinator fences the producer. */
  readonly producerEpoch: number;
  readonly isCommit: boolean;
  readonly coordinatorEpoch: number;
  /** Version of transactions that the producer uses. From 2 on the epoch must exceed that of the transaction. */
  readonly transactionVersion: 0 | 1 | 2;
}

/**
 * The log of one partition that this broker leads. Offsets, sizes and times are integers; the log owns the order of
 * appends, idempotence, durability and recovery, and knows nothing of requests.
 */
export interface PartitionLog {
  readonly id: PartitionId;
  /** The epoch that was claimed when the log was opened. */
  readonly leaderEpoch: number;
  readonly logStartOffset: number;
  /** Everything below is durable and visible. */
  readonly highWatermark: number;
  /** Everything below belongs to no open transaction. */
  readonly lastStableOffset: number;
  readonly logEndOffset: number;
  /** Bytes of record data on disk. */
  readonly sizeBytes: number;
  /** `NONE` while the log serves; what every call answers otherwise (`KAFKA_STORAGE_ERROR`, `NOT_LEADER_OR_FOLLOWER`). */
  readonly health: ErrorCode;

  /**
   * Validates, numbers and appends one or more v2 batches. The buffer is kept and its headers are rewritten in place;
   * where its memory is lent, by `memory`, the log holds that as long as it keeps the buffer.
   * Calls take effect in order. `acks` 1 and 0 resolve once written, −1 once durable and visible. Never rejects.
   *
   * A transactional batch is taken while its producer's transaction is open, or with a `guard` that is still good;
   * `INVALID_TXN_STATE` otherwise. Control batches are refused: {@link endTransaction} writes them.
   */
  append(records: Buffer, acks: -1 | 0 | 1, guard?: TransactionGuard, memory?: SharedLease): Promise<AppendResult>;

  /**
   * Leave for a producer to begin a transaction, once the coordinator knows of it. Undefined where the transaction is
   * open, so that nothing has to be asked. The same guard for all batches that wait for the same answer.
   */
  guardTransaction(start: TransactionStart): TransactionGuard | undefined;

  /**
   * Appends the marker that commits or aborts a producer's transaction; one without an open transaction is appended too,
   * and fences older epochs. Resolves once durable and visible. `INVALID_PRODUCER_EPOCH` and
   * `TRANSACTION_COORDINATOR_FENCED` for those who come too late. Never rejects.
   */
  endTransaction(end: TransactionEnd): Promise<AppendResult>;

  /** Batches from the one that holds `offset`. Answers at once where data is in memory or the page cache. */
  read(offset: number, options: ReadOptions): ReadResult | Promise<ReadResult>;

  /** The first record at or after a time, or undefined when there is none below the given isolation's bound. */
  offsetForTimestamp(timestamp: number, isolation: ReadOptions["isolation"]): Promise<TimestampOffset | undefined>;

  /** The first record that has the largest timestamp, or undefined when the log is empty. */
  offsetOfMaxTimestamp(): Promise<TimestampOffset | undefined>;

  /** The epoch of the last record below `offset`, −1 when nothing is known. */
  epochAt(offset: number): number;

  /** The largest known epoch ≤ `epoch` and the offset where it ended; `{-1, -1}` when there is none (KIP-101). */
  endOffsetForEpoch(epoch: number): { readonly epoch: number; readonly endOffset: number };

  /**
   * Moves the log start (DeleteRecords); −1 means the high watermark. Resolves with the new start once durable, or
   * `OFFSET_OUT_OF_RANGE` beyond the high watermark.
   */
  deleteRecords(offset: number): Promise<{ readonly errorCode: ErrorCode; readonly lowWatermark: number }>;

  /** Producers whose state is kept, in no particular order. */
  producers(): readonly ProducerStateView[];

  /** Goes by another configuration from the next append, fetch and check on. */
  configure(config: LogConfig): void;

  /** Tells a listener from now on; one that is told already is told once. */
  addListener(listener: LogListener): void;
  removeListener(listener: LogListener): void;
}

/** A directory that logs lie in, as DescribeLogDirs tells of it (KIP-827). */
export interface LogDirDescription {
  readonly path: string;
  readonly errorCode: ErrorCode;
  /** −1 when unknown. */
  readonly totalBytes: number;
  /** −1 when unknown. */
  readonly usableBytes: number;
  readonly partitions: readonly { readonly topic: string; readonly partition: number; readonly sizeBytes: number }[];
}

/** The partition logs of this broker. */
export interface PartitionLogs {
  /**
   * Takes the lead of a partition: claims an epoch, recovers what is there, creates what is not. Rejects with a
   * `KaasError` when the volume does not allow it. Asking again while it is open gives the same log.
   *
   * A leader before that lives is given time to hand over. An opening that is not wanted any more does not wait for it,
   * and rejects with `KAAS_CLOSED`; only the signal of who asked first counts.
   */
  open(id: PartitionId, config: LogConfig, unwanted?: AbortSignal): Promise<PartitionLog>;
  /** Hands the lead over: drains, fsyncs, checkpoints, closes. */
  release(id: PartitionId): Promise<void>;
  /** The topic is gone: closes handles, writes nothing more; waiting appends answer `UNKNOWN_TOPIC_OR_PARTITION`. */
  abandon(id: PartitionId): Promise<void>;
  /** All log directories, the data directory first, with the partitions of them that are open. */
  describeLogDirs(): Promise<readonly LogDirDescription[]>;
  /** Runs retention over all logs now rather than at the next interval; resolves when done. */
  enforceRetention(): Promise<void>;
  /** Compacts all logs that are worth it now rather than at the next interval; resolves when none is left. */
  compact(): Promise<void>;
  /** Releases every log. */
  close(): Promise<void>;
}
