/**
 * OffsetFetch (key 9), versions 1-10.
 *
 * Tells where a group has read to: for the partitions that are named, or for all it ever committed.
 *
 * - v2: null topics ask for everything; errors of the group as a whole.
 * - v5: leader epochs (KIP-320).
 * - v7: wait for transactions that are about to commit offsets (KIP-447); there are none here, offsets are always stable.
 * - v8: several groups (KIP-709).
 * - v9: member and epoch of the newer group types (KIP-848); classic groups do not look at them.
 * - v10: topics are named by id (KIP-516).
 */
import { ErrorCode } from "../errors/error-codes.js";
import type { OffsetFetchResult } from "../groups/offsets/fetch-offsets.js";
import type {
  OffsetFetchRequest,
  OffsetFetchRequestGroup,
  OffsetFetchRequestTopic,
  OffsetFetchResponseGroupInit,
  OffsetFetchResponseInit,
  OffsetFetchResponseTopicInit,
} from "../messages/generated/index.js";
import { ZERO_UUID } from "../wire/reader.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";

const BY_ID_SINCE = 10;

type AskedTopic = NonNullable<OffsetFetchRequestGroup["topics"]>[number];
type FetchedGroup = OffsetFetchResponseGroupInit & {
  readonly errorCode: ErrorCode;
  readonly topics: OffsetFetchResponseTopicInit[];
};

export const offsetFetch: ApiHandler<OffsetFetchRequest, OffsetFetchResponseInit> = {
  key: 9,
  versionMin: 1,
  versionMax: 10,

  async handle(context, request) {
    if (context.apiVersion >= 8) {
      return { groups: await Promise.all(request.groups.map((group) => fetchGroup(context, group))) };
    }
    const { groupId, topics: named } = request;
    const result = await fetchGroup(context, {
      groupId,
      topics: named?.map((topic) => ({ ...topic, topicId: ZERO_UUID })) ?? null,
    });
    if (result.errorCode === ErrorCode.NONE) return { topics: result.topics };
    // Version 1 has no place for an error of the group: each partition carries it.
    const topics = context.apiVersion === 1 ? failedTopics(request.topics ?? [], result.errorCode) : [];
    return { errorCode: result.errorCode, topics };
  },

  fail(request, errorCode) {
    return {
      errorCode,
      topics: failedTopics(request.topics ?? [], errorCode),
      groups: request.groups.map(({ groupId }) => ({ groupId, errorCode, topics: [] })),
    };
  },
};

async function fetchGroup(
  context: RequestContext,
  { groupId, topics }: Pick<OffsetFetchRequestGroup, "groupId" | "topics">,
): Promise<FetchedGroup> {
  const { broker, connection, apiVersion } = context;
  const { access } = connection;
  if (!access.may("DESCRIBE", "GROUP", groupId)) {
    return { groupId, errorCode: ErrorCode.GROUP_AUTHORIZATION_FAILED, topics: [] };
  }
  const byTopicId = apiVersion >= BY_ID_SINCE;
  const nameOf = ({ name, topicId }: AskedTopic): string | undefined =>
    byTopicId ? broker.topics.byId(topicId)?.name : name;
  // What is unknown by its id is left to the answer to say.
  const isSeen = (topic: AskedTopic): boolean => {
    const name = nameOf(topic);
    return name === undefined || access.may("DESCRIBE", "TOPIC", name);
  };
  const result: OffsetFetchResult = await broker.groups.fetchOffsets({
    groupId,
    topics: topics?.filter(isSeen) ?? null,
    byTopicId,
  });
  if (result.errorCode !== ErrorCode.NONE) return { groupId, errorCode: result.errorCode, topics: [] };
  if (topics === null) {
    // All that was committed: what one may not see was not committed.
    const seen = result.topics.filter(({ name }) => access.sees("DESCRIBE", "TOPIC", name));
    return { groupId, errorCode: ErrorCode.NONE, topics: seen };
  }
  const hidden = topics.filter((topic) => !isSeen(topic));
  const refused = failedTopics(hidden, ErrorCode.TOPIC_AUTHORIZATION_FAILED);
  return { groupId, errorCode: ErrorCode.NONE, topics: [...result.topics, ...refused] };
}

function failedTopics(
  topics: readonly (OffsetFetchRequestTopic & { readonly topicId?: string })[],
  errorCode: ErrorCode,
): OffsetFetchResponseTopicInit[] {
  return topics.map(({ name, topicId, partitionIndexes }) => ({
    name,
    topicId: topicId ?? ZERO_UUID,
    partitions: partitionIndexes.map((partitionIndex) => ({
      partitionIndex,
      committedOffset: -1,
      metadata: "",
      errorCode,
    })),
  }));
}
