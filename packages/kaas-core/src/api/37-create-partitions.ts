/**
 * CreatePartitions (key 37), versions 0-3.
 *
 * Gives topics more partitions (KIP-195); a topic never loses any.
 *
 * - v3: refused where the client has created or deleted too many partitions (KIP-599).
 */
import { askedTopics } from "../cluster/asked-topics.js";
import { assignmentRefusal } from "../cluster/replica-assignment.js";
import { type Refusal, refuse } from "../errors/refusal.js";
import { storageRefusal, timeToChange } from "./topic-changes.js";
import type { Topic } from "../cluster/topic-table.js";
import { ErrorCode } from "../errors/error-codes.js";
import type {
  CreatePartitionsRequest,
  CreatePartitionsRequestCreatePartitionsTopic,
  CreatePartitionsResponseCreatePartitionsTopicResultInit,
  CreatePartitionsResponseInit,
} from "../messages/generated/index.js";
import { withDeadline } from "../timers/with-deadline.js";
import { PARTITIONS_PER_REQUEST_MAX } from "./19-create-topics.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";
import { MutationQuota } from "./mutation-quota.js";

const STRICT_SINCE = 3;

type TopicResult = CreatePartitionsResponseCreatePartitionsTopicResultInit;
type AskedTopic = CreatePartitionsRequestCreatePartitionsTopic;

export const createPartitions: ApiHandler<CreatePartitionsRequest, CreatePartitionsResponseInit> = {
  key: 37,
  versionMin: 0,
  versionMax: 3,

  async handle(context, request) {
    const quota = new MutationQuota(context, STRICT_SINCE);
    const results = [...askedTopics(request.topics)].map(([name, asked]) =>
      asked === undefined
        ? failed(name, refuse(ErrorCode.INVALID_REQUEST, "Duplicate topic name."))
        : grow(context, request, asked, quota),
    );
    return { throttleTimeMs: quota.throttleTimeMs, results: await Promise.all(results) };
  },

  fail(request, errorCode) {
    return { results: request.topics.map(({ name }) => failed(name, { errorCode, message: "" })) };
  },
};

async function grow(
  context: RequestContext,
  request: CreatePartitionsRequest,
  asked: AskedTopic,
  quota: MutationQuota,
): Promise<TopicResult> {
  const { name, count } = asked;
  if (!context.connection.access.may("ALTER", "TOPIC", name)) {
    return failed(name, refuse(ErrorCode.TOPIC_AUTHORIZATION_FAILED, ""));
  }
  const topic = context.broker.topics.byName(name);
  if (topic === undefined) {
    return failed(name, refuse(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `The topic '${name}' does not exist.`));
  }
  const refusal =
    growthRefusal(topic, asked) ??
    assignmentsRefusal(context, topic, asked) ??
    quota.charge(count - topic.partitionCount);
  if (refusal !== undefined) return failed(name, refusal);
  const done: TopicResult = { name, errorCode: ErrorCode.NONE, errorMessage: null };
  if (request.validateOnly) return done;
  const timeoutMs = timeToChange(request.timeoutMs);
  const growing = context.broker.topicManager.createPartitions(topic, count, { timeoutMs }).then(
    (): TopicResult => done,
    (error: unknown): TopicResult => failed(name, storageRefusal(context, `topic '${name}' could not grow`, error)),
  );
  const late = (): TopicResult =>
    failed(name, refuse(ErrorCode.REQUEST_TIMED_OUT, `Topic '${name}' did not grow in time; it may still do so`));
  return withDeadline(context.broker.deadlines, request.timeoutMs, growing, late);
}

function growthRefusal({ partitionCount }: Topic, { count }: AskedTopic): Refusal | undefined {
  const has = `The topic currently has ${partitionCount} partition(s)`;
  if (count === partitionCount) return refuse(ErrorCode.INVALID_PARTITIONS, `Topic already has ${count} partition(s).`);
  if (count < partitionCount) return refuse(ErrorCode.INVALID_PARTITIONS, `${has}; ${count} would not be an increase.`);
  if (count - partitionCount > PARTITIONS_PER_REQUEST_MAX) {
    return refuse(ErrorCode.POLICY_VIOLATION, `${has}; at most ${PARTITIONS_PER_REQUEST_MAX} can be added at once.`);
  }
  return undefined;
}

function assignmentsRefusal(context: RequestContext, topic: Topic, asked: AskedTopic): Refusal | undefined {
  if (asked.assignments === null) return undefined;
  const added = asked.count - topic.partitionCount;
  if (asked.assignments.length !== added) {
    return refuse(
      ErrorCode.INVALID_REPLICA_ASSIGNMENT,
      `Attempted to add ${added} additional partition(s), but only ${asked.assignments.length} assignment(s) were specified.`,
    );
  }
  for (const { brokerIds } of asked.assignments) {
    const refusal = assignmentRefusal(brokerIds, (id) => context.broker.cluster.broker(id) !== undefined);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function failed(name: string, { errorCode, message }: Refusal): TopicResult {
  return { name, errorCode, errorMessage: message === "" ? null : message };
}
