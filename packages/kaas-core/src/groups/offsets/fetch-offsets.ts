import type { TopicTable } from "../../cluster/topic-table.js";
import { ErrorCode } from "../../errors/error-codes.js";
import type { GroupSlot } from "../slot/group-slot.js";
import type { CommittedOffset, TopicOffsets } from "./committed-offset.js";

export interface FetchedPartition {
  readonly partitionIndex: number;
  readonly committedOffset: number;
  readonly committedLeaderEpoch: number;
  readonly metadata: string;
  readonly errorCode: ErrorCode;
}

export interface FetchedTopic {
  readonly name: string;
  readonly topicId: string;
  readonly partitions: readonly FetchedPartition[];
}

export interface OffsetFetch {
  readonly groupId: string;
  /** Null: everything that was committed. */
  readonly topics:
    | readonly { readonly name: string; readonly topicId: string; readonly partitionIndexes: readonly number[] }[]
    | null;
  /** Topics are named by id, names are not told (OffsetFetch v10). */
  readonly byTopicId: boolean;
}

export interface OffsetFetchResult {
  readonly errorCode: ErrorCode;
  readonly topics: readonly FetchedTopic[];
}

/**
 * OffsetFetch. What has no offset, because nothing was committed or because the group or the topic is unknown, is
 * answered with −1 and no error. Resolves when everything that is shown is durable.
 */
export async function fetchOffsets(slot: GroupSlot, fetch: OffsetFetch, table: TopicTable): Promise<OffsetFetchResult> {
  const topics = fetch.topics === null ? fetchAll(slot, fetch, table) : fetchSome(slot, fetch, table);
  const durable = await slot.settled();
  return durable
    ? { errorCode: ErrorCode.NONE, topics }
    : { errorCode: ErrorCode.COORDINATOR_NOT_AVAILABLE, topics: [] };
}

function fetchAll(slot: GroupSlot, fetch: OffsetFetch, table: TopicTable): FetchedTopic[] {
  const topics: FetchedTopic[] = [];
  for (const [name, { topicId, partitions }] of slot.state.offsets.get(fetch.groupId)?.topics() ?? []) {
    const currentId = table.byName(name)?.id;
    if (currentId === undefined ? fetch.byTopicId : currentId !== topicId) continue;
    topics.push({ name, topicId, partitions: Array.from(partitions, ([index, at]) => fetched(index, at)) });
  }
  return topics;
}

function fetchSome(slot: GroupSlot, fetch: OffsetFetch, table: TopicTable): FetchedTopic[] {
  const offsets = slot.state.offsets.get(fetch.groupId);
  return (fetch.topics ?? []).map((asked) => {
    const topic = fetch.byTopicId ? table.byId(asked.topicId) : table.byName(asked.name);
    const name = fetch.byTopicId ? (topic?.name ?? "") : asked.name;
    const errorCode = fetch.byTopicId && topic === undefined ? ErrorCode.UNKNOWN_TOPIC_ID : ErrorCode.NONE;
    const committed = ofIncarnation(offsets?.topic(name), topic?.id);
    return {
      name,
      topicId: asked.topicId,
      partitions: asked.partitionIndexes.map((index) => fetched(index, committed?.partitions.get(index), errorCode)),
    };
  });
}

/** Offsets that were committed for an earlier topic of the same name count for nothing. */
function ofIncarnation(offsets: TopicOffsets | undefined, currentId: string | undefined): TopicOffsets | undefined {
  return currentId === undefined || offsets?.topicId === currentId ? offsets : undefined;
}

function fetched(
  partitionIndex: number,
  committed: CommittedOffset | undefined,
  errorCode: ErrorCode = ErrorCode.NONE,
): FetchedPartition {
  return {
    partitionIndex,
    committedOffset: committed?.offset ?? -1,
    committedLeaderEpoch: committed?.leaderEpoch ?? -1,
    metadata: committed?.metadata ?? "",
    errorCode,
  };
}
