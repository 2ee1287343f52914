/**
 * Metadata (key 3), versions 0-13.
 *
 * Tells a client which brokers there are, which topics, and who leads what. Only brokers that it may go to are named, at
 * the address of the listener that it has come to.
 *
 * - v1: a null list asks for all topics, an empty one for none (v0: empty asks for all).
 * - v4: the client says whether unknown topics may be created.
 * - v8: authorized operations (KIP-430); those of the cluster moved to DescribeCluster with v11.
 * - v10: topic ids; v12: topics may be asked for by id (KIP-516).
 * - v13: an error of the whole answer (KIP-1102); a single cluster never asks its clients to start over.
 */
import { createTopic, nameRefusal } from "./topic-changes.js";
import type { Topic } from "../cluster/topic-table.js";
import { ErrorCode } from "../errors/error-codes.js";
import type {
  MetadataRequest,
  MetadataRequestTopic,
  MetadataResponseInit,
  MetadataResponseTopicInit,
} from "../messages/generated/index.js";
import { authorizedOperations, OPERATIONS_NOT_ASKED } from "../security/authorized-operations.js";
import { ZERO_UUID } from "../wire/reader.js";
import { clusterOperations } from "./60-describe-cluster.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";
import { mayCreate } from "./topic-access.js";
import { controllerIdFor, liveEndpoints } from "./cluster-endpoints.js";
import { partitionMetadata } from "./topic-metadata.js";

const BY_ID_SINCE = 12;
/** How long a client is kept waiting while others create its topic: it asks again anyway. */
const AUTO_CREATION_TIMEOUT_MS = 2_000;

type TopicResponse = MetadataResponseTopicInit;

export const metadata: ApiHandler<MetadataRequest, MetadataResponseInit> = {
  key: 3,
  versionMin: 0,
  versionMax: 13,

  handle(context, request) {
    const { topics } = request;
    if (topics === null || (context.apiVersion === 0 && topics.length === 0)) {
      const { access } = context.connection;
      const seen = [...context.broker.topics.all()].filter(({ name }) => access.sees("DESCRIBE", "TOPIC", name));
      const all = seen.map((topic) => found(context, request, topic));
      return response(context, request, all);
    }
    if (
      context.apiVersion < BY_ID_SINCE &&
      topics.some(({ name, topicId }) => name === null || topicId !== ZERO_UUID)
    ) {
      return this.fail(request, ErrorCode.INVALID_REQUEST);
    }
    const described = distinct(context, topics).map((topic) => describe(context, request, topic));
    if (!described.some((topic) => topic instanceof Promise)) {
      return response(context, request, described as TopicResponse[]);
    }
    return Promise.all(described).then((all) => response(context, request, all));
  },

  fail(request, errorCode) {
    // Versions 10 and 11 let a request leave out the name, and their responses not.
    const topics = (request.topics ?? []).map(({ name, topicId }) => failed(name ?? "", topicId, errorCode));
    return { brokers: [], topics, errorCode };
  },
};

/** A topic that is asked for twice, by its name and its id even, is described once; if the client may see that it is one. */
function distinct(context: RequestContext, topics: readonly MetadataRequestTopic[]): MetadataRequestTopic[] {
  const seen = new Set<string>();
  const { access } = context.connection;
  return topics.filter(({ name, topicId }) => {
    const isById = name === null || topicId !== ZERO_UUID;
    const nameOfId = isById ? context.broker.topics.byId(topicId)?.name : undefined;
    const isNamed = nameOfId !== undefined && access.sees("DESCRIBE", "TOPIC", nameOfId);
    const known = isById ? (isNamed ? nameOfId : `id ${topicId}`) : name;
    return !seen.has(known) && seen.add(known);
  });
}

function describe(
  context: RequestContext,
  request: MetadataRequest,
  { name, topicId }: MetadataRequestTopic,
): TopicResponse | Promise<TopicResponse> {
  const { topics, config } = context.broker;
  if (name === null || topicId !== ZERO_UUID) {
    const topic = topics.byId(topicId);
    if (topic === undefined) return failed(name, topicId, ErrorCode.UNKNOWN_TOPIC_ID);
    const isSeen = context.connection.access.may("DESCRIBE", "TOPIC", topic.name);
    return isSeen ? found(context, request, topic) : failed(null, topicId, ErrorCode.TOPIC_AUTHORIZATION_FAILED);
  }
  // Whether there is such a topic is told to those only who may see it.
  if (!context.connection.access.may("DESCRIBE", "TOPIC", name)) {
    return failed(name, ZERO_UUID, ErrorCode.TOPIC_AUTHORIZATION_FAILED);
  }
  const topic = topics.byName(name);
  if (topic !== undefined) return found(context, request, topic);
  const refusal = nameRefusal(context, name);
  if (refusal !== undefined) return missing(context, request, name, refusal.errorCode);
  if (request.allowAutoTopicCreation && config.boolean("auto.create.topics.enable")) {
    if (!mayCreate(context.connection, name)) return failed(name, ZERO_UUID, ErrorCode.TOPIC_AUTHORIZATION_FAILED);
    return autoCreate(context, request, name);
  }
  return missing(context, request, name, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
}

/** A topic that the client may see, and that is not there: what it might do with it is told all the same. */
function missing(
  { connection }: RequestContext,
  { includeTopicAuthorizedOperations }: MetadataRequest,
  name: string,
  errorCode: ErrorCode,
): TopicResponse {
  const topic = failed(name, ZERO_UUID, errorCode);
  if (!includeTopicAuthorizedOperations) return topic;
  return { ...topic, topicAuthorizedOperations: authorizedOperations(connection.access, "TOPIC", name) };
}

/** Creates a topic that was asked for and answers when it is served, so that the client need not ask again. */
async function autoCreate(context: RequestContext, request: MetadataRequest, name: string): Promise<TopicResponse> {
  const { topics, config } = context.broker;
  const partitionCount = config.number("num.partitions");
  const created = await createTopic(context, { name, partitionCount, overrides: {} }, AUTO_CREATION_TIMEOUT_MS);
  const topic = topics.byName(name);
  if (topic !== undefined) return found(context, request, topic);
  // Whoever created it at the same time has not finished, or the volume failed: either way it is worth asking again.
  const isStorage = "errorCode" in created && created.errorCode === ErrorCode.KAFKA_STORAGE_ERROR;
  return failed(name, ZERO_UUID, isStorage ? ErrorCode.KAFKA_STORAGE_ERROR : ErrorCode.LEADER_NOT_AVAILABLE);
}

function found(context: RequestContext, request: MetadataRequest, topic: Topic): TopicResponse {
  const { cluster } = context.broker;
  return {
    errorCode: ErrorCode.NONE,
    name: topic.name,
    topicId: topic.id,
    isInternal: false,
    partitions: topic.partitions.map((_log, index) => partitionMetadata(cluster, topic, index)),
    topicAuthorizedOperations: request.includeTopicAuthorizedOperations
      ? authorizedOperations(context.connection.access, "TOPIC", topic.name)
      : OPERATIONS_NOT_ASKED,
  };
}

/** A topic without a name can only be told to versions that know topics by id. */
function failed(name: string | null, topicId: string, errorCode: ErrorCode): TopicResponse {
  return {
    errorCode,
    name,
    topicId,
    isInternal: false,
    partitions: [],
    topicAuthorizedOperations: OPERATIONS_NOT_ASKED,
  };
}

function response(context: RequestContext, request: MetadataRequest, topics: TopicResponse[]): MetadataResponseInit {
  const { broker, connection } = context;
  return {
    brokers: liveEndpoints(context),
    clusterId: broker.clusterId,
    controllerId: controllerIdFor(context),
    topics,
    clusterAuthorizedOperations: request.includeClusterAuthorizedOperations
      ? clusterOperations(connection)
      : OPERATIONS_NOT_ASKED,
    errorCode: ErrorCode.NONE,
  };
}
