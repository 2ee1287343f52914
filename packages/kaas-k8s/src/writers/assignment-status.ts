import type { Assignment, TopicAssignment } from "@kaas/core";
import type { KafkaClusterAssignmentsStatus } from "@kaas/operator-api";

type TopicStatus = NonNullable<KafkaClusterAssignmentsStatus["topics"]>[number];

/**
 * What the object may take in the API server's store, which accepts 1.5 MiB with all that belongs to it.
 */
export const STATUS_BYTES_MAX: number = 900_000;

/** What the server keeps about an entry beside the entry: who wrote which of its fields. */
const KEPT_BYTES_A_TOPIC = 160;

/** An assignment as people see it. Topics that do not fit are left out, those with the last names first. */
export function assignmentStatus(
  assignment: Assignment,
  bytesMax: number = STATUS_BYTES_MAX,
): KafkaClusterAssignmentsStatus {
  const whole = [...assignment.topics].sort((a, b) => (a.name < b.name ? -1 : 1));
  const rest = { ...overview(assignment), truncated: false, topics: [] };
  let bytesLeft = bytesMax - Buffer.byteLength(JSON.stringify(rest));
  const topics: TopicStatus[] = [];
  for (const topic of whole) {
    const status = topicStatus(topic);
    bytesLeft -= Buffer.byteLength(JSON.stringify(status)) + KEPT_BYTES_A_TOPIC + Buffer.byteLength(topic.name);
    if (bytesLeft < 0) break;
    topics.push(status);
  }
  return { ...rest, topics, truncated: topics.length < whole.length };
}

function topicStatus({ name, topicId, leaders, leaderEpochs }: TopicAssignment): TopicStatus {
  return { name, topicId, leaders: [...leaders], leaderEpochs: [...leaderEpochs] };
}

function overview(assignment: Assignment): KafkaClusterAssignmentsStatus {
  const leads = new Map<number, number>();
  let partitionCount = 0;
  for (const { leaders } of assignment.topics) {
    partitionCount += leaders.length;
    for (const leader of leaders) leads.set(leader, (leads.get(leader) ?? 0) + 1);
  }
  return {
    controllerId: assignment.controllerId,
    controllerEpoch: assignment.controllerEpoch,
    version: assignment.version,
    publishedAt: new Date(assignment.createdMs).toISOString(),
    brokers: assignment.brokers.map(({ nodeId, name, rack, isFenced }) => ({
      nodeId,
      name,
      ...(rack === null ? {} : { rack }),
      fenced: isFenced,
      leads: leads.get(nodeId) ?? 0,
    })),
    slots: { groups: [...assignment.slots.groups], transactions: [...assignment.slots.transactions] },
    topicCount: assignment.topics.length,
    partitionCount,
  };
}
