import { ErrorCode } from "../../errors/error-codes.js";
import { isSubscribed } from "../classic/subscribed-topics.js";
import type { GroupSlot } from "../slot/group-slot.js";
import type { TopicPartitions } from "./retention.js";

export interface OffsetDeleteResult {
  /** Says why nothing was deleted at all. */
  readonly errorCode: ErrorCode;
  /** One error for each topic that was asked for, in order. */
  readonly topicErrors: readonly ErrorCode[];
}

/** OffsetDelete. Resolves when the deletion is durable. Offsets of topics that the group uses are kept (KIP-496). */
export async function deleteOffsets(
  slot: GroupSlot,
  groupId: string,
  topics: readonly TopicPartitions[],
): Promise<OffsetDeleteResult> {
  const group = slot.state.groups.get(groupId);
  if (group === undefined) return { errorCode: ErrorCode.GROUP_ID_NOT_FOUND, topicErrors: [] };
  if (group.state !== "Empty" && group.protocolType !== "consumer") {
    return { errorCode: ErrorCode.NON_EMPTY_GROUP, topicErrors: [] };
  }
  const topicErrors = topics.map(({ topic }) =>
    isSubscribed(group, topic) ? ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC : ErrorCode.NONE,
  );
  const offsets = slot.state.offsets.get(groupId);
  const found = topics.flatMap(({ topic, partitions }, index) => {
    const committed = offsets?.topic(topic)?.partitions;
    const known = partitions.filter((partition) => committed?.has(partition));
    return topicErrors[index] === ErrorCode.NONE && known.length > 0 ? [{ topic, partitions: known }] : [];
  });
  if (found.length > 0) void slot.append({ type: "delete-offsets", group: groupId, topics: found });
  const durable = await slot.settled();
  return durable ? { errorCode: ErrorCode.NONE, topicErrors } : { errorCode: slot.refusal, topicErrors: [] };
}
