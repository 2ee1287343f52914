/**
 * OffsetForLeaderEpoch (key 23), versions 2-4.
 *
 * Tells where a leader epoch ended, so that a client can find out whether what it read still exists (KIP-101, KIP-320).
 *
 * - v3: the replica id; consumers send −1 or −2, and there are no followers to tell apart.
 */
import { ErrorCode } from "../errors/error-codes.js";
import { checkLeaderEpoch } from "../fetch/fetch-pass.js";
import type {
  OffsetForLeaderEpochRequest,
  OffsetForLeaderEpochRequestOffsetForLeaderPartition,
  OffsetForLeaderEpochResponseEpochEndOffsetInit,
  OffsetForLeaderEpochResponseInit,
} from "../messages/generated/index.js";
import { CLUSTER_NAME } from "../security/access.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";

type EpochEnd = OffsetForLeaderEpochResponseEpochEndOffsetInit;

export const offsetForLeaderEpoch: ApiHandler<OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponseInit> = {
  key: 23,
  versionMin: 2,
  versionMax: 4,

  handle(context, request) {
    return {
      topics: request.topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map((asked) => endOf(context, topic, asked)),
      })),
    };
  },

  fail(request, errorCode) {
    return {
      topics: request.topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map(({ partition }) => ({ partition, errorCode })),
      })),
    };
  },
};

function endOf(
  context: RequestContext,
  name: string,
  { partition, currentLeaderEpoch, leaderEpoch }: OffsetForLeaderEpochRequestOffsetForLeaderPartition,
): EpochEnd {
  if (!isSeen(context, name)) return { partition, errorCode: ErrorCode.TOPIC_AUTHORIZATION_FAILED };
  const topic = context.broker.topics.byName(name);
  if (topic === undefined || partition < 0 || partition >= topic.partitionCount) {
    return { partition, errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION };
  }
  const log = topic.partitions[partition];
  if (log === undefined) return { partition, errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER };
  const errorCode = log.health === ErrorCode.NONE ? checkLeaderEpoch(currentLeaderEpoch, log) : log.health;
  if (errorCode !== ErrorCode.NONE) return { partition, errorCode };
  const end = log.endOffsetForEpoch(leaderEpoch);
  return { partition, errorCode, leaderEpoch: end.epoch, endOffset: end.endOffset };
}

function isSeen({ connection }: RequestContext, topic: string): boolean {
  const { access } = connection;
  return access.sees("CLUSTER_ACTION", "CLUSTER", CLUSTER_NAME) || access.may("DESCRIBE", "TOPIC", topic);
}
