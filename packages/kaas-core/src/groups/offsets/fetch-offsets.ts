import type { TopicTable } from "../../cluster/topic-table.js";
import { ErrorCode } from "../../errors/error-codes.js";
import type { GroupSlot } from "../slot/group-slot.js";
import type { CommittedOffset } from "./committed-offset.js";

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
 * OffsetFetch. A slot forgets offsets of deleted topics by itself, so what it has under a name is of the topic that has
 * that name now. What has no offset, because nothing was committed or because the group or the topic is unknown, is
 * answered with −1 and no error. Resolves when everything that is shown is durable.
 */
export async function fetchOffsets(slot: GroupSlot, fetch: OffsetFetch, table: TopicTable): Promise<OffsetFetchResult> {
  const topics = fetch.topics === null ? fetchAll(slot, fetch, table) : fetchSome(slot, fetch, table);
  const durable = await slot.settled();
  return durable ? { errorCode: ErrorCode.NONE, topics } : { errorCode: slot.refusal, topics: [] };
}

function fetchAll(slot: GroupSlot, fetch: OffsetFetch, table: TopicTable): FetchedTopic[] {
  const topics: FetchedTopic[] = [];
  for (const [name, { topicId, partitions }] of slot.state.offsets.get(fetch.groupId)?.topics() ?? []) {
    if (fetch.byTopicId && table.byId(topicId) === undefined) continue;
    topics.push({ name, topicId, partitions: Array.from(partitions, ([index, at]) => fetched(index, at)) });
  }
  return topics;
}

/** Topics that are unknown by their id come last, as Kafka has it. */
function fetchSome(slot: GroupSlot, fetch: OffsetFetch, table: TopicTable): FetchedTopic[] {
  const offsets = slot.state.offsets.get(fetch.groupId);
  const known: FetchedTopic[] = [];
  const unknown: FetchedTopic[] = [];
  for (const { name, topicId, partitionIndexes } of fetch.topics ?? []) {
    const actualName = fetch.byTopicId ? table.byId(topicId)?.name : name;
    const errorCode = actualName === undefined ? ErrorCode.UNKNOWN_TOPIC_ID : ErrorCode.NONE;
    const committed = actualName === undefined ? undefined : offsets?.topic(actualName);
    const partitions = partitionIndexes.map((index) => fetched(index, committed?.partitions.get(index), errorCode));
    (actualName === undefined ? unknown : known).push({ name, topicId, partitions });
  }
  return [...known, ...unknown];
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
