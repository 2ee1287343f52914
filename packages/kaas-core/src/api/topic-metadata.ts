import type { Topic } from "../cluster/topic-table.js";
import { ErrorCode } from "../errors/error-codes.js";

/** A partition as Metadata and DescribeTopicPartitions show it. */
export interface PartitionMetadata {
  readonly errorCode: ErrorCode;
  readonly partitionIndex: number;
  readonly leaderId: number;
  readonly leaderEpoch: number;
  readonly replicaNodes: readonly number[];
  readonly isrNodes: readonly number[];
  readonly offlineReplicas: readonly number[];
}

const NO_LEADER = -1;

/** One copy on shared storage: the leader is the only replica, and always in sync. */
export function partitionMetadata(topic: Topic, partitionIndex: number, nodeId: number): PartitionMetadata {
  const log = topic.partitions[partitionIndex];
  const replicas = [nodeId];
  if (log === undefined) {
    return {
      errorCode: ErrorCode.LEADER_NOT_AVAILABLE,
      partitionIndex,
      leaderId: NO_LEADER,
      leaderEpoch: NO_LEADER,
      replicaNodes: replicas,
      isrNodes: [],
      offlineReplicas: replicas,
    };
  }
  return {
    errorCode: ErrorCode.NONE,
    partitionIndex,
    leaderId: nodeId,
    leaderEpoch: log.leaderEpoch,
    replicaNodes: replicas,
    isrNodes: replicas,
    offlineReplicas: [],
  };
}
