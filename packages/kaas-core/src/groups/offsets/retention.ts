import type { ClassicGroup } from "../classic/classic-group.js";
import { isSubscribed } from "../classic/subscribed-topics.js";
import type { CommittedOffset } from "./committed-offset.js";
import type { GroupOffsets } from "./group-offsets.js";

/** Partitions of one topic. */
export interface TopicPartitions {
  readonly topic: string;
  readonly partitions: readonly number[];
}

/**
 * The offsets of a group that have expired (KIP-211): all of them once the group has been empty for the retention
 * time; of a simple group, and of topics that a stable consumer group no longer subscribes to, each one on its own that
 * long after it was committed.
 */
export function expiredOffsets(
  group: ClassicGroup,
  offsets: GroupOffsets,
  nowMs: number,
  retentionMs: number,
): TopicPartitions[] {
  const since = retentionStart(group);
  if (since === null) return [];
  const expired: TopicPartitions[] = [];
  for (const [topic, { partitions }] of offsets.topics()) {
    if (isSubscribed(group, topic)) continue;
    const late: number[] = [];
    for (const [partition, committed] of partitions) {
      if (nowMs >= (committed.expiresAt ?? since(committed) + retentionMs)) late.push(partition);
    }
    if (late.length > 0) expired.push({ topic, partitions: late });
  }
  return expired;
}

/** From when retention counts; null while nothing may expire. */
function retentionStart(group: ClassicGroup): ((committed: CommittedOffset) => number) | null {
  if (group.protocolType === null) return (committed) => committed.committedAt;
  if (group.state === "Empty") return () => group.stateSince;
  const subscriptionsKnown = group.protocolType === "consumer" && group.subscribedTopics !== null;
  return group.state === "Stable" && subscriptionsKnown ? (committed) => committed.committedAt : null;
}
