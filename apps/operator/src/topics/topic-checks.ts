import { KaasError, logConfigOf, type TopicOverrides } from "@kaas/core";
import { type KafkaTopic, topicNameOf } from "@kaas/operator-api";
import type { Refusal } from "../reconciling/steps.js";

/** A topic's configurations as Kafka writes them: all values are text. */
export function overridesOf(topic: KafkaTopic): TopicOverrides {
  return Object.fromEntries(Object.entries(topic.spec.config ?? {}).map(([name, value]) => [name, String(value)]));
}

/** Why the configurations cannot be used. */
export function configRefusal(topic: KafkaTopic): Refusal | undefined {
  // The API server lets any value pass, as it may be of three types.
  const other = Object.entries(topic.spec.config ?? {}).find(([, value]) => typeof value === "object");
  if (other !== undefined) {
    const message = `spec.config: ${other[0]} is a list or an object: write its value as text, such as "compact,delete"`;
    return { reason: "InvalidConfig", message };
  }
  const inexact = Object.entries(topic.spec.config ?? {}).find(([, value]) => isInexact(value));
  if (inexact !== undefined) {
    const message = `spec.config: ${inexact[0]} is a number beyond 2^53, of which digits are lost on the way: write it in quotes, as text`;
    return { reason: "InvalidConfig", message };
  }
  try {
    logConfigOf(overridesOf(topic));
    return undefined;
  } catch (error) {
    if (!(error instanceof KaasError)) throw error;
    return { reason: "InvalidConfig", message: `spec.config: ${error.message}` };
  }
}

function isInexact(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** Why the name is not this resource's: of several that claim it the one that has the topic has it, else the oldest. */
export function nameRefusal(topic: KafkaTopic, all: readonly KafkaTopic[]): Refusal | undefined {
  const name = topicNameOf(topic);
  const [owner] = all.filter((other) => topicNameOf(other) === name).sort(byClaim);
  if (owner === undefined || owner.metadata.uid === topic.metadata.uid) return undefined;
  const message = `topic ${name} is already that of KafkaTopic ${owner.metadata.name}; choose another spec.topicName, or delete one of the two`;
  return { reason: "NameTaken", message };
}

function byClaim(one: KafkaTopic, other: KafkaTopic): number {
  const rank = ({ metadata, status }: KafkaTopic): string =>
    `${status?.topicId === undefined ? 1 : 0} ${metadata.creationTimestamp ?? ""} ${metadata.name}`;
  return rank(one) < rank(other) ? -1 : 1;
}

/** Why the partitions cannot become that many. */
export function partitionRefusal(topic: KafkaTopic, existing: number): Refusal | undefined {
  const { partitions } = topic.spec;
  if (partitions >= existing) return undefined;
  const message = `spec.partitions is ${partitions}, but the topic has ${existing}: partitions cannot be removed, as their records would be lost. Nothing was changed. Set spec.partitions to ${existing} or more`;
  return { reason: "PartitionDecreaseRefused", message };
}
