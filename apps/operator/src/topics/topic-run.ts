import type { KafkaCluster, KafkaTopic } from "@kaas/operator-api";
import type { FoundTopic } from "@kaas/storage";
import type { Refusal } from "../reconciling/steps.js";
import type { Migration } from "./topic-migration.js";

/** What is known beside a topic while it is reconciled. */
export interface TopicSurroundings {
  /** All KafkaTopics of the namespace. */
  readonly topics: readonly KafkaTopic[];
  /** The cluster that the volume belongs to; undefined while there is none. */
  readonly cluster: KafkaCluster | undefined;
  /** Names of the volumes that are mounted, the data directory's first. */
  readonly volumes: readonly string[];
}

/** One reconciliation of a topic: what its steps find out, for those that follow. */
export interface TopicRun {
  object: KafkaTopic;
  readonly name: string;
  readonly surroundings: TopicSurroundings;
  /** What the volume has under the name, and where its partitions lie now. */
  found?: FoundTopic | undefined;
  /** Which topic of that name it is. */
  topicId?: string;
  /** The volume of each partition. */
  volumes?: readonly string[];
  /** Where somebody wants partitions to lie, or why that cannot be done; undefined where nobody wants anything. */
  migration?: Migration | Refusal | undefined;
}
