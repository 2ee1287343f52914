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

export const offsetFetch: ApiHandler<OffsetFetchRequest, OffsetFetchResponseInit> = {
  key: 9,
  versionMin: 1,
  versionMax: 10,

  async handle(context, request) {
    if (context.apiVersion >= 8) {
      return { groups: await Promise.all(request.groups.map((group) => fetchGroup(context, group))) };
    }
    const result = await context.broker.groups.fetchOffsets({
      groupId: request.groupId,
      topics: request.topics?.map((topic) => ({ ...topic, topicId: ZERO_UUID })) ?? null,
      byTopicId: false,
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
  group: OffsetFetchRequestGroup,
): Promise<OffsetFetchResponseGroupInit> {
  const { groupId, topics } = group;
  const result: OffsetFetchResult = await context.broker.groups.fetchOffsets({
    groupId,
    topics,
    byTopicId: context.apiVersion >= 10,
  });
  return { groupId, errorCode: result.errorCode, topics: result.topics };
}

function failedTopics(
  topics: readonly OffsetFetchRequestTopic[],
  errorCode: ErrorCode,
): OffsetFetchResponseTopicInit[] {
  return topics.map(({ name, partitionIndexes }) => ({
    name,
    partitions: partitionIndexes.map((partitionIndex) => ({
      partitionIndex,
      committedOffset: -1,
      metadata: "",
      errorCode,
    })),
  }));
}
