import type { RequestContext } from "./api-handler.js";
import { validateTopicOverrides } from "../config/topic-config.js";
import { ErrorCode } from "../errors/error-codes.js";
import { KaasError, type KaasErrorCode } from "../errors/kaas-error.js";
import { type Refusal, refuse } from "../errors/refusal.js";
import type { TopicDescription, TopicOverrides } from "../ports/topics.js";
import { topicNameProblem } from "../cluster/topic-names.js";

/** A topic as CreateTopics and auto creation ask for it; −1 stands for the broker's default. */
export interface TopicSpec {
  readonly name: string;
  readonly partitionCount: number;
  readonly overrides: TopicOverrides;
}

/** What stands against a topic's name: its form, or a topic that is there already. */
export function nameRefusal(context: RequestContext, name: string): Refusal | undefined {
  const { topics } = context.broker;
  const problem = topicNameProblem(name);
  if (problem !== undefined) {
    return refuse(ErrorCode.INVALID_TOPIC_EXCEPTION, `Topic name '${name}' is invalid: ${problem}`);
  }
  if (topics.byName(name) !== undefined) {
    return refuse(ErrorCode.TOPIC_ALREADY_EXISTS, `Topic '${name}' already exists.`);
  }
  const other = topics.colliding(name);
  if (other === undefined) return undefined;
  return refuse(
    ErrorCode.INVALID_TOPIC_EXCEPTION,
    `Topic '${name}' collides with the existing topic '${other.name}': names may not differ in '.' and '_' only`,
  );
}

/** What stands against a topic's configuration. */
export function configRefusal(overrides: TopicOverrides): Refusal | undefined {
  const problem = validateTopicOverrides(overrides);
  return problem === undefined ? undefined : refuse(ErrorCode.INVALID_CONFIG, problem.message);
}

/**
 * Creates a topic whose parts have been validated; a race with another creation is answered as Kafka would. Whoever others
 * make topics for does not wait longer than `timeoutMs`.
 */
export async function createTopic(
  context: RequestContext,
  spec: TopicSpec,
  timeoutMs: number,
): Promise<TopicDescription | Refusal> {
  try {
    return await context.broker.topicManager.create(spec.name, spec.partitionCount, spec.overrides, {
      timeoutMs: timeToChange(timeoutMs),
    });
  } catch (error) {
    if (error instanceof KaasError && error.code === "KAAS_TOPIC_CONFLICT") {
      return refuse(ErrorCode.TOPIC_ALREADY_EXISTS, `Topic '${spec.name}' already exists.`);
    }
    return storageRefusal(context, `topic '${spec.name}' could not be created`, error);
  }
}

/** What is left of a request's timeout for a change itself, so that a reason why it is late still comes in time. */
export function timeToChange(timeoutMs: number): number {
  return Math.max(timeoutMs - 100, timeoutMs / 2);
}

/** What those who carry changes out for this broker say, and what a client is told. */
const REMOTE_ERRORS: Readonly<Partial<Record<KaasErrorCode, ErrorCode>>> = {
  KAAS_TIMED_OUT: ErrorCode.REQUEST_TIMED_OUT,
  KAAS_KUBERNETES_UNREACHABLE: ErrorCode.REQUEST_TIMED_OUT,
  KAAS_KUBERNETES_CONFLICT: ErrorCode.REQUEST_TIMED_OUT,
  KAAS_KUBERNETES_FORBIDDEN: ErrorCode.POLICY_VIOLATION,
  KAAS_KUBERNETES_REFUSED: ErrorCode.POLICY_VIOLATION,
  KAAS_CONFIG_INVALID: ErrorCode.INVALID_CONFIG,
};

/**
 * What a failed change of a topic is answered with: the topic may be gone by now, others have not carried it out in time,
 * or the volume failed, which is logged in full. Wherever it helps, the client may try again.
 */
export function storageRefusal(context: RequestContext, what: string, error: unknown): Refusal {
  if (error instanceof KaasError && error.code === "KAAS_TOPIC_CONFLICT") {
    return refuse(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, error.message);
  }
  const remote = error instanceof KaasError ? REMOTE_ERRORS[error.code] : undefined;
  if (error instanceof KaasError && remote !== undefined) {
    context.broker.log.warn({ err: error }, what);
    return refuse(remote, `${what}: ${error.message}`);
  }
  context.broker.log.error({ err: error }, what);
  const reason = error instanceof KaasError ? error.message : "an unexpected error, see the broker's log";
  return refuse(ErrorCode.KAFKA_STORAGE_ERROR, `${what}: ${reason}`);
}
