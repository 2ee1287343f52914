/**
 * OffsetDelete (key 47), version 0.
 *
 * Deletes offsets that a group committed, for topics that it does not subscribe to (KIP-496). Answered once it is
 * durable.
 */
import { ErrorCode } from "../errors/error-codes.js";
import type {
  OffsetDeleteRequest,
  OffsetDeleteRequestTopic,
  OffsetDeleteResponseInit,
} from "../messages/generated/index.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";

export const offsetDelete: ApiHandler<OffsetDeleteRequest, OffsetDeleteResponseInit> = {
  key: 47,
  versionMin: 0,
  versionMax: 0,

  async handle(context, request) {
    if (!context.connection.access.may("DELETE", "GROUP", request.groupId)) {
      return this.fail(request, ErrorCode.GROUP_AUTHORIZATION_FAILED);
    }
    const existing = request.topics.map((topic) => ({
      topic: topic.name,
      partitions: topic.partitions
        .map(({ partitionIndex }) => partitionIndex)
        .filter((partition) => partitionError(context, topic, partition) === ErrorCode.NONE),
    }));
    const { errorCode, topicErrors } = await context.broker.groups.deleteOffsets(request.groupId, existing);
    if (errorCode !== ErrorCode.NONE) return { errorCode, throttleTimeMs: 0, topics: [] };
    return {
      errorCode,
      throttleTimeMs: 0,
      topics: request.topics.map((topic, index) => ({
        name: topic.name,
        partitions: topic.partitions.map(({ partitionIndex }) => {
          const own = partitionError(context, topic, partitionIndex);
          return { partitionIndex, errorCode: own === ErrorCode.NONE ? (topicErrors[index] ?? own) : own };
        }),
      })),
    };
  },

  fail(_request, errorCode) {
    return { errorCode, throttleTimeMs: 0, topics: [] };
  },
};

function partitionError(
  { broker, connection }: RequestContext,
  { name }: OffsetDeleteRequestTopic,
  partition: number,
): ErrorCode {
  if (!connection.access.may("READ", "TOPIC", name)) return ErrorCode.TOPIC_AUTHORIZATION_FAILED;
  const exists = partition >= 0 && partition < (broker.topics.byName(name)?.partitionCount ?? 0);
  return exists ? ErrorCode.NONE : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
}
