import { NO_LEADER } from "../cluster/assignment.js";
import type { Topic } from "../cluster/topic-table.js";
import { ErrorCode } from "../errors/error-codes.js";
import type { ClusterView } from "../ports/cluster-view.js";

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

const NOBODY = { leaderId: NO_LEADER, leaderEpoch: NO_LEADER };

/** One copy on shared storage: the leader is the only replica, and always in sync. */
export function partitionMetadata(cluster: ClusterView, topic: Topic, partitionIndex: number): PartitionMetadata {
  const { leaderId, leaderEpoch } = cluster.leadership(topic.id, partitionIndex) ?? NOBODY;
  const replicas = leaderId === NO_LEADER ? [] : [leaderId];
  // Of itself this broker knows the epoch before anybody has published it.
  const own = leaderId === cluster.nodeId ? topic.partitions[partitionIndex] : undefined;
  if (!isLed(cluster, topic, partitionIndex, leaderId)) {
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
    leaderId,
    leaderEpoch: own?.leaderEpoch ?? leaderEpoch,
    replicaNodes: replicas,
    isrNodes: replicas,
    offlineReplicas: [],
  };
}

/**
 * Whether there is a leader to go to. One that is about to open its log is: there are clients that take a partition
 * without a leader for a failure, and none that does not ask again after NOT_LEADER_OR_FOLLOWER.
 */
function isLed(cluster: ClusterView, topic: Topic, partitionIndex: number, leaderId: number): boolean {
  if (leaderId === cluster.nodeId) return !topic.failedPartitions.has(partitionIndex);
  return cluster.broker(leaderId)?.isFenced === false;
}
