/**
 * ListOffsets (key 2), versions 1-11.
 *
 * Finds the offset that belongs to a time, or to one of the named places of a log.
 *
 * - v2: isolation level: "latest" is the last stable offset for read_committed (KIP-98).
 * - v4: leader epochs (KIP-320).
 * - v7: the record with the largest timestamp (KIP-734).
 * - v8, v9, v11: earliest local, latest tiered and earliest pending upload offset (KIP-405, KIP-1005, KIP-1023):
 *   nothing is tiered, so everything is local and nothing is or will be remote.
 * - v10: how long the client waits (KIP-1075).
 */
import { ErrorCode } from "../errors/error-codes.js";
import { KaasError } from "../errors/kaas-error.js";
import { checkLeaderEpoch } from "../fetch/fetch-pass.js";
import type {
  ListOffsetsRequest,
  ListOffsetsRequestListOffsetsPartition,
  ListOffsetsResponseInit,
  ListOffsetsResponseListOffsetsPartitionResponseInit,
} from "../messages/generated/index.js";
import type { PartitionLog, ReadOptions } from "../ports/partition-logs.js";
import { withDeadline } from "../timers/with-deadline.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";

/** Timestamps that name a place, and the version that knows them. */
const Place = {
  LATEST: -1,
  EARLIEST: -2,
  MAX_TIMESTAMP: -3,
  EARLIEST_LOCAL: -4,
  LATEST_TIERED: -5,
  EARLIEST_PENDING_UPLOAD: -6,
} as const;

const PLACE_SINCE: Readonly<Record<number, number>> = {
  [Place.LATEST]: 1,
  [Place.EARLIEST]: 1,
  [Place.MAX_TIMESTAMP]: 7,
  [Place.EARLIEST_LOCAL]: 8,
  [Place.LATEST_TIERED]: 9,
  [Place.EARLIEST_PENDING_UPLOAD]: 11,
};

const READ_COMMITTED = 1;
const TIMEOUT_SINCE = 10;

type PartitionResponse = ListOffsetsResponseListOffsetsPartitionResponseInit;
/** An offset that was found, or an error. */
type Found = { errorCode: ErrorCode } | { timestamp: number; offset: number; leaderEpoch: number };

const NOTHING_FOUND: Found = { timestamp: -1, offset: -1, leaderEpoch: -1 };

export const listOffsets: ApiHandler<ListOffsetsRequest, ListOffsetsResponseInit> = {
  key: 2,
  versionMin: 1,
  versionMax: 11,

  async handle(context, request) {
    const duplicates = duplicatePartitions(request);
    const isolation = request.isolationLevel === READ_COMMITTED ? "read_committed" : "read_uncommitted";
    const topics = request.topics.map(async ({ name, partitions }) => ({
      name,
      partitions: await Promise.all(
        partitions.map(async (asked): Promise<PartitionResponse> => {
          const found = duplicates.has(`${name}:${asked.partitionIndex}`)
            ? { errorCode: ErrorCode.INVALID_REQUEST }
            : await findInTime(context, request, name, asked, isolation);
          return "errorCode" in found
            ? { partitionIndex: asked.partitionIndex, errorCode: found.errorCode }
            : { partitionIndex: asked.partitionIndex, errorCode: ErrorCode.NONE, ...found };
        }),
      ),
    }));
    return { topics: await Promise.all(topics) };
  },

  fail(request, errorCode) {
    return {
      topics: request.topics.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode })),
      })),
    };
  },
};

function duplicatePartitions(request: ListOffsetsRequest): ReadonlySet<string> {
  const seen = new Set<string>();
  const duplicates = new Set<string>();
  for (const { name, partitions } of request.topics) {
    for (const { partitionIndex } of partitions) {
      const key = `${name}:${partitionIndex}`;
      if (seen.has(key)) duplicates.add(key);
      seen.add(key);
    }
  }
  return duplicates;
}

function findInTime(
  context: RequestContext,
  request: ListOffsetsRequest,
  topic: string,
  asked: ListOffsetsRequestListOffsetsPartition,
  isolation: ReadOptions["isolation"],
): Found | Promise<Found> {
  if (!context.connection.access.may("DESCRIBE", "TOPIC", topic)) {
    return { errorCode: ErrorCode.TOPIC_AUTHORIZATION_FAILED };
  }
  const known = context.broker.topics.byName(topic);
  if (known === undefined || asked.partitionIndex < 0 || asked.partitionIndex >= known.partitionCount) {
    return { errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION };
  }
  const log = known.partitions[asked.partitionIndex];
  if (log === undefined) return { errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER };
  if (log.health !== ErrorCode.NONE) return { errorCode: log.health };
  const epochError = checkLeaderEpoch(asked.currentLeaderEpoch, log);
  if (epochError !== ErrorCode.NONE) return { errorCode: epochError };
  const search = find(log, asked.timestamp, context.apiVersion, isolation);
  const finding =
    search instanceof Promise ? search.catch((error: unknown) => unsearchable(context, log, error)) : search;
  if (!(finding instanceof Promise) || context.apiVersion < TIMEOUT_SINCE || request.timeoutMs <= 0) return finding;
  return withDeadline(context.broker.deadlines, request.timeoutMs, finding, () => ({
    errorCode: ErrorCode.REQUEST_TIMED_OUT,
  }));
}

/** One partition that is damaged, or whose disk fails, says so; those beside it in the request are answered. */
function unsearchable({ broker }: RequestContext, log: PartitionLog, error: unknown): Found {
  if (!(error instanceof KaasError)) throw error;
  const { topic, partition } = log.id;
  broker.log.error({ topic, partition, err: error }, "a log could not be searched by time");
  return { errorCode: log.health === ErrorCode.NONE ? ErrorCode.KAFKA_STORAGE_ERROR : log.health };
}

function find(
  log: PartitionLog,
  timestamp: number,
  version: number,
  isolation: ReadOptions["isolation"],
): Found | Promise<Found> {
  if (timestamp >= 0) return log.offsetForTimestamp(timestamp, isolation).then((found) => found ?? NOTHING_FOUND);
  if (version < (PLACE_SINCE[timestamp] ?? Number.POSITIVE_INFINITY)) {
    return { errorCode: ErrorCode.UNSUPPORTED_VERSION };
  }
  switch (timestamp) {
    case Place.LATEST: {
      const offset = isolation === "read_committed" ? log.lastStableOffset : log.highWatermark;
      return { timestamp: -1, offset, leaderEpoch: log.leaderEpoch };
    }
    case Place.EARLIEST:
    case Place.EARLIEST_LOCAL:
      return { timestamp: -1, offset: log.logStartOffset, leaderEpoch: log.epochAt(log.logStartOffset + 1) };
    case Place.MAX_TIMESTAMP:
      return log.offsetOfMaxTimestamp().then((found) => {
        const isVisible = isolation === "read_uncommitted" || (found?.offset ?? 0) < log.lastStableOffset;
        return found !== undefined && isVisible ? found : NOTHING_FOUND;
      });
    default:
      return NOTHING_FOUND;
  }
}
