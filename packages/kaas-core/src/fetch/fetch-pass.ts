import { ErrorCode } from "../errors/error-codes.js";
import type { TopicTable } from "../cluster/topic-table.js";
import type { FetchResponsePartitionDataInit } from "../messages/generated/index.js";
import { Leases } from "../memory/leases.js";
import { EMPTY } from "../messages/absent.js";
import type { Lease } from "../ports/memory.js";
import type { PartitionLog, ReadOptions, ReadResult } from "../ports/partition-logs.js";
import type { Access } from "../security/access.js";
import type { SessionPartition } from "./fetch-sessions.js";

/** How a fetch reads: the same for all of its partitions. */
export interface FetchLimits {
  readonly isolation: ReadOptions["isolation"];
  /** Bytes of records in the whole response, beyond which only a first batch may go. */
  readonly maxBytes: number;
  readonly usesTopicIds: boolean;
  /** What the client may read. */
  readonly access: Access;
}

/** One partition of a pass, and what was found. */
export interface FetchedPartition {
  readonly asked: SessionPartition;
  readonly log: PartitionLog | undefined;
  readonly data: FetchResponsePartitionDataInit;
}

/**
 * One pass over the partitions of a fetch, in order, until the bytes are used up: what is there to answer now?
 * Reads that are served from memory happen at once; only where the log must go to the disk does the pass wait.
 *
 * The memory of what it found is lent: {@link release} gives it back, or {@link takeLease} hands that duty on. Either may
 * come while a read is still under way; what that finds is given back at once.
 */
export class FetchPass {
  readonly fetched: FetchedPartition[] = [];
  /** Bytes of records found. */
  sizeBytes = 0;
  /** Something was found that the client must hear of at once: an error, or that its log diverges. */
  urgent = false;
  readonly #topics: TopicTable;
  readonly #limits: FetchLimits;
  #leases: Lease[] = [];
  #isOver = false;

  constructor(topics: TopicTable, limits: FetchLimits) {
    this.#topics = topics;
    this.#limits = limits;
  }

  /** Runs the pass; a promise only where a read has to wait. */
  run(partitions: Iterator<SessionPartition>): Promise<void> | undefined {
    for (let next = partitions.next(); next.done !== true && !this.#isOver; next = partitions.next()) {
      const asked = next.value;
      const read = this.#visit(asked);
      if (read !== undefined) {
        return read.then(() => this.run(partitions));
      }
    }
    return undefined;
  }

  /** Forgets what was found, and gives back its memory. */
  release(): void {
    this.takeLease()?.release();
  }

  /** What the memory of all that was found is lent by; to be released by the caller. */
  takeLease(): Lease | undefined {
    this.#isOver = true;
    const leases = this.#leases;
    this.#leases = [];
    return Leases.of(leases);
  }

  #visit(asked: SessionPartition): Promise<void> | undefined {
    const topics = this.#topics;
    const limits = this.#limits;
    const topic = limits.usesTopicIds ? topics.byId(asked.topicId) : topics.byName(asked.topic);
    if (
      (topic !== undefined || !limits.usesTopicIds) &&
      !limits.access.may("READ", "TOPIC", topic?.name ?? asked.topic)
    ) {
      return this.#refuse(asked, undefined, ErrorCode.TOPIC_AUTHORIZATION_FAILED);
    }
    if (topic === undefined) {
      const unknown = limits.usesTopicIds ? ErrorCode.UNKNOWN_TOPIC_ID : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
      return this.#refuse(asked, undefined, unknown);
    }
    if (asked.partition < 0 || asked.partition >= topic.partitionCount) {
      return this.#refuse(asked, undefined, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    }
    const log = topic.partitions[asked.partition];
    if (log === undefined) return this.#refuse(asked, undefined, ErrorCode.NOT_LEADER_OR_FOLLOWER);
    const epochError = checkLeaderEpoch(asked.currentLeaderEpoch, log);
    if (epochError !== ErrorCode.NONE) return this.#refuse(asked, log, epochError);
    if (asked.lastFetchedEpoch >= 0 && this.#diverges(asked, log)) return undefined;
    return this.#read(asked, log);
  }

  #read(asked: SessionPartition, log: PartitionLog): Promise<void> | undefined {
    const { isolation, maxBytes } = this.#limits;
    const bound = isolation === "read_committed" ? log.lastStableOffset : log.highWatermark;
    const bytesLeft = maxBytes - this.sizeBytes;
    const isFull = this.sizeBytes > 0 && bytesLeft <= 0;
    if ((asked.fetchOffset === bound || isFull) && log.health === ErrorCode.NONE) {
      this.#add(asked, log, partitionData(asked, log, isolation));
      return undefined;
    }
    const result = log.read(asked.fetchOffset, {
      maxBytes: Math.min(asked.maxBytes, bytesLeft),
      minOneBatch: this.sizeBytes === 0,
      isolation,
    });
    if (result instanceof Promise) return result.then((late) => this.#accept(asked, log, late));
    this.#accept(asked, log, result);
    return undefined;
  }

  #accept(asked: SessionPartition, log: PartitionLog, result: ReadResult): void {
    if (result.lease !== undefined) {
      if (this.#isOver) {
        result.lease.release();
        return;
      }
      this.#leases.push(result.lease);
    }
    if (result.errorCode !== ErrorCode.NONE) {
      this.#refuse(asked, log, result.errorCode);
      return;
    }
    this.sizeBytes += result.sizeBytes;
    this.#add(asked, log, {
      partitionIndex: asked.partition,
      errorCode: ErrorCode.NONE,
      highWatermark: result.highWatermark,
      lastStableOffset: result.lastStableOffset,
      logStartOffset: result.logStartOffset,
      divergingEpoch: null,
      currentLeader: null,
      snapshotId: null,
      abortedTransactions: result.abortedTransactions,
      preferredReadReplica: -1,
      records: result.records,
    });
  }

  /** KIP-320: the client read records that this log does not have; tell it where the two part. */
  #diverges(asked: SessionPartition, log: PartitionLog): boolean {
    const end = log.endOffsetForEpoch(asked.lastFetchedEpoch);
    if (end.endOffset < 0) {
      this.#refuse(asked, log, ErrorCode.OFFSET_OUT_OF_RANGE);
      return true;
    }
    if (end.epoch >= asked.lastFetchedEpoch && end.endOffset >= asked.fetchOffset) return false;
    const data = partitionData(asked, log, this.#limits.isolation);
    this.urgent = true;
    this.#add(asked, log, { ...data, divergingEpoch: { epoch: end.epoch, endOffset: end.endOffset } });
    return true;
  }

  #refuse(asked: SessionPartition, log: PartitionLog | undefined, errorCode: ErrorCode): undefined {
    this.urgent = true;
    this.#add(asked, log, {
      partitionIndex: asked.partition,
      errorCode,
      highWatermark: -1,
      lastStableOffset: -1,
      logStartOffset: -1,
      divergingEpoch: null,
      currentLeader: null,
      snapshotId: null,
      abortedTransactions: log === undefined ? [] : null,
      preferredReadReplica: -1,
      records: EMPTY,
    });
    return undefined;
  }

  #add(asked: SessionPartition, log: PartitionLog | undefined, data: FetchResponsePartitionDataInit): void {
    this.fetched.push({ asked, log, data });
  }
}

/** A partition with nothing to read. Records are empty, never null: librdkafka takes null for a broken answer. */
function partitionData(
  asked: SessionPartition,
  log: PartitionLog,
  isolation: ReadOptions["isolation"],
): FetchResponsePartitionDataInit {
  return {
    partitionIndex: asked.partition,
    errorCode: ErrorCode.NONE,
    highWatermark: log.highWatermark,
    lastStableOffset: log.lastStableOffset,
    logStartOffset: log.logStartOffset,
    divergingEpoch: null,
    currentLeader: null,
    snapshotId: null,
    abortedTransactions: isolation === "read_committed" ? [] : null,
    preferredReadReplica: -1,
    records: EMPTY,
  };
}

/** Compares the leader epoch that a client believes in with the real one; −1 asks for no check (KIP-320). */
export function checkLeaderEpoch(currentLeaderEpoch: number, log: PartitionLog): ErrorCode {
  if (currentLeaderEpoch < 0 || currentLeaderEpoch === log.leaderEpoch) return ErrorCode.NONE;
  return currentLeaderEpoch < log.leaderEpoch ? ErrorCode.FENCED_LEADER_EPOCH : ErrorCode.UNKNOWN_LEADER_EPOCH;
}
