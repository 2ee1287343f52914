import type { TopicOverrides } from "@kaas/core";

/** A topic that is to be changed. */
export interface TopicRef {
  readonly name: string;
  /** 22 characters of base64url: a topic that was created again under the name is not touched. */
  readonly id: string;
}

/**
 * Changes KafkaTopics, for Kafka's admin APIs. Resolves when the API server has stored the change; the operator carries
 * it out afterwards. Rejects with a `KaasError`: `KAAS_TOPIC_CONFLICT` where the topic exists already, or is not (any
 * more) what the caller believed; `KAAS_CONFIG_INVALID` for what the API server does not accept;
 * `KAAS_KUBERNETES_FORBIDDEN`, `KAAS_KUBERNETES_UNREACHABLE`.
 */
export interface TopicWriter {
  createTopic(name: string, partitionCount: number, overrides: TopicOverrides, timeoutMs?: number): Promise<void>;
  deleteTopic(topic: TopicRef, timeoutMs?: number): Promise<void>;
  setPartitionCount(topic: TopicRef, partitionCount: number, timeoutMs?: number): Promise<void>;
  /** Replaces the overrides as a whole. */
  setOverrides(topic: TopicRef, overrides: TopicOverrides, timeoutMs?: number): Promise<void>;
}
