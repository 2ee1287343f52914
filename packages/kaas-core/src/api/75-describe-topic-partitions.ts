/**
 * DescribeTopicPartitions (key 75), version 0.
 *
 * Describes topics page by page (KIP-966): sorted by name, at most so many partitions an answer, and a cursor from
 * which the next request goes on. An empty list asks for all topics.
 */
import type { Topic } from "../cluster/topic-table.js";
import { topicNameProblem } from "../cluster/topic-names.js";
import { ErrorCode } from "../errors/error-codes.js";
import type {
  DescribeTopicPartitionsRequest,
  DescribeTopicPartitionsResponseTopicInit,
  DescribeTopicPartitionsResponseInit,
} from "../messages/generated/index.js";
import { authorizedOperations } from "../security/authorized-operations.js";
import { ZERO_UUID } from "../wire/reader.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";
import { partitionMetadata } from "./topic-metadata.js";

type TopicResponse = DescribeTopicPartitionsResponseTopicInit;

interface Page {
  readonly topics: readonly TopicResponse[];
  readonly nextCursor: { readonly topicName: string; readonly partitionIndex: number } | null;
}

export const describeTopicPartitions: ApiHandler<DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponseInit> =
  {
    key: 75,
    versionMin: 0,
    versionMax: 0,

    handle(context, request) {
      const { cursor } = request;
      const all = request.topics.length === 0;
      const names = new Set(all ? seenTopics(context) : request.topics.map(({ name }) => name));
      if (cursor !== null && (cursor.partitionIndex < 0 || (!all && !names.has(cursor.topicName)))) {
        return this.fail(request, ErrorCode.INVALID_REQUEST);
      }
      const from = cursor?.topicName ?? "";
      const sorted = [...names].filter((name) => name >= from).sort();
      const { access } = context.connection;
      const hidden = new Set(sorted.filter((name) => !access.may("DESCRIBE", "TOPIC", name)));
      const seen = sorted.filter((name) => !hidden.has(name));
      const { topics, nextCursor } = page(context, seen, cursor, pageSize(context, request));
      const refused = [...hidden].map((name) => failed(name, ErrorCode.TOPIC_AUTHORIZATION_FAILED));
      return { topics: [...topics, ...refused], nextCursor };
    },

    fail(request, errorCode) {
      return { topics: request.topics.map(({ name }) => failed(name, errorCode)) };
    },
  };

function seenTopics({ broker, connection }: RequestContext): string[] {
  const names = Array.from(broker.topics.all(), ({ name }) => name);
  return names.filter((name) => connection.access.sees("DESCRIBE", "TOPIC", name));
}

function pageSize(context: RequestContext, request: DescribeTopicPartitionsRequest): number {
  const limit = context.broker.config.number("max.request.partition.size.limit");
  return Math.max(1, Math.min(request.responsePartitionLimit, limit));
}

function page(
  context: RequestContext,
  names: readonly string[],
  cursor: DescribeTopicPartitionsRequest["cursor"],
  size: number,
): Page {
  const topics: TopicResponse[] = [];
  let left = size;
  for (const name of names) {
    const topic = context.broker.topics.byName(name);
    if (topic === undefined) {
      const topicAuthorizedOperations = authorizedOperations(context.connection.access, "TOPIC", name);
      topics.push({ ...failed(name, unknownTopicError(name)), topicAuthorizedOperations });
      continue;
    }
    if (left === 0) return { topics, nextCursor: { topicName: name, partitionIndex: 0 } };
    const first = cursor?.topicName === name ? cursor.partitionIndex : 0;
    const end = Math.min(topic.partitionCount, first + left);
    topics.push(described(context, topic, first, end));
    left -= Math.max(0, end - first);
    if (end < topic.partitionCount) return { topics, nextCursor: { topicName: name, partitionIndex: end } };
  }
  return { topics, nextCursor: null };
}

function described(context: RequestContext, topic: Topic, first: number, end: number): TopicResponse {
  const partitions = [];
  for (let index = first; index < end; index++) {
    // Lists, though null is allowed: the Java client reads them without a look.
    const eligible = { eligibleLeaderReplicas: [], lastKnownElr: [] };
    partitions.push({ ...partitionMetadata(context.broker.cluster, topic, index), ...eligible });
  }
  return {
    errorCode: ErrorCode.NONE,
    name: topic.name,
    topicId: topic.id,
    isInternal: false,
    partitions,
    topicAuthorizedOperations: authorizedOperations(context.connection.access, "TOPIC", topic.name),
  };
}

function unknownTopicError(name: string): ErrorCode {
  return topicNameProblem(name) === undefined
    ? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    : ErrorCode.INVALID_TOPIC_EXCEPTION;
}

function failed(name: string, errorCode: ErrorCode): TopicResponse {
  return { errorCode, name, topicId: ZERO_UUID, isInternal: false, partitions: [] };
}
