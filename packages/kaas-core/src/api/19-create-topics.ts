/**
 * CreateTopics (key 19), versions 2-7.
 *
 * Creates topics, and answers when they are served.
 *
 * - v4: −1 partitions or replicas stand for the broker's defaults (KIP-464).
 * - v5: the answer tells what was created, with all of its configuration (KIP-525).
 * - v6: refused where the client has created or deleted too many partitions (KIP-599).
 * - v7: the topic's id (KIP-516).
 *
 * Storage is shared: there is one copy, so any replication factor is accepted and reported as 1.
 */
import { askedTopics } from "../cluster/asked-topics.js";
import { describeTopicConfigs } from "../config/topic-config-description.js";
import { assignmentRefusal } from "../cluster/replica-assignment.js";
import { type Refusal, refuse } from "../errors/refusal.js";
import { configRefusal, createTopic, nameRefusal, type TopicSpec } from "./topic-changes.js";
import { ErrorCode } from "../errors/error-codes.js";
import type {
  CreateTopicsRequest,
  CreateTopicsRequestCreatableTopic,
  CreateTopicsResponseCreatableTopicResultInit,
  CreateTopicsResponseInit,
} from "../messages/generated/index.js";
import type { TopicOverrides } from "../ports/topics.js";
import { withDeadline } from "../timers/with-deadline.js";
import { ZERO_UUID } from "../wire/reader.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";
import { MutationQuota } from "./mutation-quota.js";
import { mayCreate } from "./topic-access.js";

/** One request may create so many partitions in all; Kafka's own limit. */
export const PARTITIONS_PER_REQUEST_MAX: number = 10_000;

const STRICT_SINCE = 6;
const DEFAULT = -1;
const REPLICATION_FACTOR = 1;

type TopicResult = CreateTopicsResponseCreatableTopicResultInit;

export const createTopics: ApiHandler<CreateTopicsRequest, CreateTopicsResponseInit> = {
  key: 19,
  versionMin: 2,
  versionMax: 7,

  async handle(context, request) {
    const budget = { left: PARTITIONS_PER_REQUEST_MAX };
    const quota = new MutationQuota(context, STRICT_SINCE);
    const results: Promise<TopicResult>[] = [];
    for (const [name, topic] of askedTopics(request.topics)) {
      const planned =
        topic === undefined
          ? refuse(ErrorCode.INVALID_REQUEST, "Duplicate topic name.")
          : charged(quota, plan(context, topic, budget));
      results.push(create(context, request, name, planned));
    }
    return { throttleTimeMs: quota.throttleTimeMs, topics: await Promise.all(results) };
  },

  fail(request, errorCode) {
    return { topics: request.topics.map(({ name }) => failed(name, { errorCode, message: "" })) };
  },
};

/** Validates one topic; what is to be created, or what stands against it. */
function plan(
  context: RequestContext,
  topic: CreateTopicsRequestCreatableTopic,
  budget: { left: number },
): TopicSpec | Refusal {
  if (!mayCreate(context.connection, topic.name)) {
    return refuse(ErrorCode.TOPIC_AUTHORIZATION_FAILED, "Authorization failed.");
  }
  const refusal = nameRefusal(context, topic.name);
  if (refusal !== undefined) return refusal;
  const partitionCount = plannedPartitions(context, topic);
  if (typeof partitionCount !== "number") return partitionCount;
  if (partitionCount > budget.left) {
    return refuse(
      ErrorCode.POLICY_VIOLATION,
      `A request may create at most ${PARTITIONS_PER_REQUEST_MAX} partitions; ask for the topics one by one`,
    );
  }
  budget.left -= partitionCount;
  const overrides = plannedOverrides(topic);
  if ("errorCode" in overrides) return overrides as Refusal;
  return { name: topic.name, partitionCount, overrides };
}

function charged(quota: MutationQuota, planned: TopicSpec | Refusal): TopicSpec | Refusal {
  return "errorCode" in planned ? planned : (quota.charge(planned.partitionCount) ?? planned);
}

function plannedPartitions(context: RequestContext, topic: CreateTopicsRequestCreatableTopic): number | Refusal {
  const { numPartitions, replicationFactor, assignments } = topic;
  if (assignments.length > 0) return assignedPartitions(context, topic);
  if (replicationFactor !== DEFAULT && replicationFactor <= 0) {
    return refuse(
      ErrorCode.INVALID_REPLICATION_FACTOR,
      "Replication factor must be larger than 0, or -1 to use the default value.",
    );
  }
  if (numPartitions === DEFAULT) return context.broker.config.number("num.partitions");
  if (numPartitions <= 0) {
    return refuse(
      ErrorCode.INVALID_PARTITIONS,
      "Number of partitions must be larger than 0, or -1 to use the default value.",
    );
  }
  return numPartitions;
}

/** Counts partitions whose replicas were chosen by hand: they must be numbered from 0 without gaps. */
function assignedPartitions(context: RequestContext, topic: CreateTopicsRequestCreatableTopic): number | Refusal {
  const { numPartitions, replicationFactor, assignments } = topic;
  if (replicationFactor !== DEFAULT) {
    return refuse(
      ErrorCode.INVALID_REQUEST,
      "A manual partition assignment was specified, but replication factor was not set to -1.",
    );
  }
  if (numPartitions !== DEFAULT) {
    return refuse(
      ErrorCode.INVALID_REQUEST,
      "A manual partition assignment was specified, but numPartitions was not set to -1.",
    );
  }
  const seen = new Set<number>();
  for (const { partitionIndex, brokerIds } of assignments) {
    if (seen.has(partitionIndex)) {
      return refuse(
        ErrorCode.INVALID_REPLICA_ASSIGNMENT,
        `Found multiple manual partition assignments for partition ${partitionIndex}`,
      );
    }
    seen.add(partitionIndex);
    const refusal = assignmentRefusal(brokerIds, (id) => context.broker.cluster.broker(id) !== undefined);
    if (refusal !== undefined) return refusal;
  }
  for (let index = 0; index < assignments.length; index++) {
    if (!seen.has(index)) {
      return refuse(
        ErrorCode.INVALID_REPLICA_ASSIGNMENT,
        "partitions should be a consecutive 0-based integer sequence",
      );
    }
  }
  return assignments.length;
}

function plannedOverrides(topic: CreateTopicsRequestCreatableTopic): TopicOverrides | Refusal {
  const overrides: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const { name, value } of topic.configs) {
    if (value === null) {
      return refuse(ErrorCode.INVALID_CONFIG, `Null value not supported for topic configs: ${name}`);
    }
    overrides[name] = value;
  }
  return configRefusal(overrides) ?? overrides;
}

async function create(
  context: RequestContext,
  request: CreateTopicsRequest,
  name: string,
  planned: TopicSpec | Refusal,
): Promise<TopicResult> {
  if ("errorCode" in planned) return failed(name, planned);
  if (request.validateOnly) return succeeded(context, planned, ZERO_UUID);
  const creating = createTopic(context, planned, request.timeoutMs).then((created) =>
    "errorCode" in created ? failed(name, created) : succeeded(context, planned, created.id),
  );
  const late = (): TopicResult =>
    failed(name, refuse(ErrorCode.REQUEST_TIMED_OUT, `Topic '${name}' was not created in time; it may still appear`));
  return withDeadline(context.broker.deadlines, request.timeoutMs, creating, late);
}

function succeeded(context: RequestContext, spec: TopicSpec, topicId: string): TopicResult {
  const created = { name: spec.name, topicId, errorCode: ErrorCode.NONE, errorMessage: null };
  if (!context.connection.access.sees("DESCRIBE_CONFIGS", "TOPIC", spec.name)) {
    const topicConfigErrorCode = ErrorCode.TOPIC_AUTHORIZATION_FAILED;
    return { ...created, topicConfigErrorCode, numPartitions: -1, replicationFactor: -1, configs: [] };
  }
  return {
    ...created,
    numPartitions: spec.partitionCount,
    replicationFactor: REPLICATION_FACTOR,
    configs: describeTopicConfigs(spec.overrides, context.broker.config).map((entry) => ({
      name: entry.name,
      value: entry.value,
      readOnly: entry.readOnly,
      configSource: entry.source,
      isSensitive: entry.isSensitive,
    })),
  };
}

function failed(name: string, { errorCode, message }: Refusal): TopicResult {
  return {
    name,
    topicId: ZERO_UUID,
    errorCode,
    errorMessage: message === "" ? null : message,
    numPartitions: -1,
    replicationFactor: -1,
    configs: [],
  };
}
