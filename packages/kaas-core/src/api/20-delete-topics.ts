/**
 * DeleteTopics (key 20), versions 1-6.
 *
 * Deletes topics and all that belongs to them.
 *
 * - v3: TOPIC_DELETION_DISABLED, until then INVALID_REQUEST (KIP-322).
 * - v5: a message with each error; refused where the client has created or deleted too many partitions (KIP-599). v6: topics may be named by id (KIP-516).
 */
import { type Refusal, refuse } from "../errors/refusal.js";
import { storageRefusal, timeToChange } from "./topic-changes.js";
import type { Topic } from "../cluster/topic-table.js";
import { ErrorCode } from "../errors/error-codes.js";
import type {
  DeleteTopicsRequest,
  DeleteTopicsResponseDeletableTopicResultInit,
  DeleteTopicsResponseInit,
} from "../messages/generated/index.js";
import { CLUSTER_NAME } from "../security/access.js";
import { withDeadline } from "../timers/with-deadline.js";
import { ZERO_UUID } from "../wire/reader.js";
import type { ApiHandler, ClientConnection, RequestContext } from "./api-handler.js";
import { MutationQuota } from "./mutation-quota.js";

const DELETION_DISABLED_SINCE = 3;
const STRICT_SINCE = 5;

/** Errors of the whole request, which come before anybody is asked what he may do. */
const DISABLED: readonly ErrorCode[] = [ErrorCode.TOPIC_DELETION_DISABLED, ErrorCode.INVALID_REQUEST];

/** A topic as the client names it: by name, or by id with name null. */
interface AskedTopic {
  readonly name: string | null;
  readonly topicId: string;
}

interface DistinctTopic {
  readonly asked: AskedTopic;
  readonly target: Topic | Refusal;
  readonly count: number;
}

type TopicResult = DeleteTopicsResponseDeletableTopicResultInit;

export const deleteTopics: ApiHandler<DeleteTopicsRequest, DeleteTopicsResponseInit> = {
  key: 20,
  versionMin: 1,
  versionMax: 6,

  async handle(context, request) {
    const quota = new MutationQuota(context, STRICT_SINCE);
    const results = [...distinct(context, askedTopics(request))].map(({ asked, target, count }) =>
      count > 1
        ? failed(asked, refuse(ErrorCode.INVALID_REQUEST, "The topic is named more than once in the request."))
        : (forbidden(context, asked, target) ?? deleteOne(context, request, asked, charged(quota, target))),
    );
    return { throttleTimeMs: quota.throttleTimeMs, responses: await Promise.all(results) };
  },

  fail(request, errorCode) {
    return { responses: askedTopics(request).map((topic) => failed(topic, { errorCode, message: "" })) };
  },
};

/** The topics of either form of the request: v6 replaced the list of names. */
function askedTopics(request: DeleteTopicsRequest): AskedTopic[] {
  return [...request.topics, ...request.topicNames.map((name) => ({ name, topicId: ZERO_UUID }))];
}

/** Topics once each, however often and in which way the request names them. */
function distinct(context: RequestContext, all: readonly AskedTopic[]): Iterable<DistinctTopic> {
  const found = new Map<string, DistinctTopic>();
  for (const asked of all) {
    const target = find(context, asked);
    // That a name and an id are one topic is told to those only who may see it.
    const isSeen = !("errorCode" in target) && maySee(context.connection, target.name);
    const key = isSeen ? target.id : `${asked.name}:${asked.topicId}`;
    const before = found.get(key);
    const name = before?.asked.name ?? asked.name;
    const topicId = asked.topicId === ZERO_UUID ? (before?.asked.topicId ?? ZERO_UUID) : asked.topicId;
    found.set(key, { asked: { name, topicId }, target, count: (before?.count ?? 0) + 1 });
  }
  return found.values();
}

function find(context: RequestContext, { name, topicId }: AskedTopic): Topic | Refusal {
  const { topics, config } = context.broker;
  if (!config.boolean("delete.topic.enable")) {
    const knowsTheError = context.apiVersion >= DELETION_DISABLED_SINCE;
    const errorCode = knowsTheError ? ErrorCode.TOPIC_DELETION_DISABLED : ErrorCode.INVALID_REQUEST;
    return refuse(errorCode, "Topic deletion is disabled.");
  }
  if (name !== null && topicId !== ZERO_UUID) {
    return refuse(ErrorCode.INVALID_REQUEST, "A topic may be named by name or by id, not by both.");
  }
  if (name !== null) {
    return (
      topics.byName(name) ??
      refuse(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "This server does not host this topic-partition.")
    );
  }
  if (topicId === ZERO_UUID) return refuse(ErrorCode.INVALID_REQUEST, "Neither topic name nor id were specified.");
  return topics.byId(topicId) ?? refuse(ErrorCode.UNKNOWN_TOPIC_ID, "This server does not host this topic ID.");
}

function maySee({ access }: ClientConnection, topic: string): boolean {
  return access.sees("DESCRIBE", "TOPIC", topic) || access.sees("DELETE", "CLUSTER", CLUSTER_NAME);
}

/** Whoever names a topic by its id is told its name only if he may see it. */
function forbidden(
  { connection }: RequestContext,
  asked: AskedTopic,
  target: Topic | Refusal,
): TopicResult | undefined {
  const { access } = connection;
  if (access.sees("DELETE", "CLUSTER", CLUSTER_NAME)) return undefined;
  const name = "errorCode" in target ? asked.name : target.name;
  const isDisabled = "errorCode" in target && DISABLED.includes(target.errorCode);
  if (isDisabled || name === null || access.may("DELETE", "TOPIC", name)) return undefined;
  const isSeen = access.sees("DESCRIBE", "TOPIC", name);
  if ("errorCode" in target && isSeen) return undefined; // that it does not exist may be told
  const isNameKnown = asked.name !== null || isSeen;
  const refusal = refuse(ErrorCode.TOPIC_AUTHORIZATION_FAILED, "Topic authorization failed.");
  return failed({ name: isNameKnown ? name : null, topicId: asked.topicId }, refusal);
}

function charged(quota: MutationQuota, target: Topic | Refusal): Topic | Refusal {
  return "errorCode" in target ? target : (quota.charge(target.partitionCount) ?? target);
}

async function deleteOne(
  context: RequestContext,
  request: DeleteTopicsRequest,
  asked: AskedTopic,
  topic: Topic | Refusal,
): Promise<TopicResult> {
  if ("errorCode" in topic) return failed(asked, topic);
  const done = { name: topic.name, topicId: topic.id, errorCode: ErrorCode.NONE, errorMessage: null };
  const deleting = context.broker.topicManager.delete(topic, { timeoutMs: timeToChange(request.timeoutMs) }).then(
    (): TopicResult => done,
    (error: unknown): TopicResult =>
      failed(asked, storageRefusal(context, `topic '${topic.name}' could not be deleted`, error)),
  );
  const late = (): TopicResult =>
    failed(
      asked,
      refuse(ErrorCode.REQUEST_TIMED_OUT, `Topic '${topic.name}' was not deleted in time; it may still go`),
    );
  return withDeadline(context.broker.deadlines, request.timeoutMs, deleting, late);
}

function failed({ name, topicId }: AskedTopic, { errorCode, message }: Refusal): TopicResult {
  return { name, topicId, errorCode, errorMessage: message === "" ? null : message };
}
