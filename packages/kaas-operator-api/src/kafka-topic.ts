import * as z from "zod";
import { conditionsSchema, observedGenerationSchema } from "./conditions.js";
import { header } from "./metadata.js";

/**
 * Asks for partitions to be moved: the name of a volume for all of them, or a list such as `0=fast,3=slow`. The condition
 * `Migration` says what has become of it.
 */
export const MIGRATE_TO_ANNOTATION = "kaas.rs/migrate-to";

/** How many partitions a topic may have. The list of their volumes has to fit into the status. */
export const PARTITIONS_MAX = 10_000;

const volumeName = z
  .string()
  .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/)
  .describe("Name of a volume: the last part of its path, such as data.");

const storageSchema = z
  .strictObject({
    volumes: z
      .array(volumeName)
      .min(1)
      .max(64)
      .meta({ "x-kubernetes-list-type": "set" })
      .optional()
      .describe("Volumes that new partitions may be placed on, each on the one that has the fewest."),
    volumeSelector: z
      .strictObject({
        matchLabels: z
          .record(z.string(), z.string())
          .refine((labels) => Object.keys(labels).length > 0, "must name at least one label")
          .meta({ minProperties: 1 })
          .describe("Labels that a volume must have, as the KafkaCluster lists them."),
      })
      .optional()
      .describe("Chooses the volumes by their labels."),
  })
  .describe("Where new partitions are placed. Partitions that have their place stay there.");

const specSchema = z
  .strictObject({
    topicName: z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,249}$/)
      .optional()
      .describe(
        "The topic's name in Kafka, where it differs from the resource's, such as one with capitals or an underscore. Cannot be changed.",
      ),
    partitions: z
      .int()
      .min(1)
      .max(PARTITIONS_MAX)
      .default(1)
      .describe("How many partitions the topic has. May be raised, but not lowered."),
    config: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .meta({ maxProperties: 128 })
      .optional()
      .describe(
        "Topic configurations by their names in Kafka, such as retention.ms. Numbers beyond 2^53 have to stand in quotes.",
      ),
    storage: storageSchema.optional(),
  })
  .describe("What the topic should be.");

const statusSchema = z
  .object({
    observedGeneration: observedGenerationSchema.optional(),
    conditions: conditionsSchema.optional(),
    topicName: z.string().optional().describe("The topic's name in Kafka."),
    topicId: z
      .string()
      .regex(/^[A-Za-z0-9_-]{22}$/)
      .optional()
      .describe("Which topic of that name this is, as Kafka's tools show it. A topic that is made again has another."),
    partitionCount: z.int().min(0).optional().describe("How many partitions the topic has."),
    volumeAssignments: z
      .array(
        z.object({
          partition: z.int().min(0).describe("The partition's number."),
          volume: volumeName,
        }),
      )
      .max(PARTITIONS_MAX)
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["partition"] })
      .optional()
      .describe("On which volume each partition lies. Decided once, when the partition is made."),
  })
  .describe("What the topic is.");

/** The schema of a KafkaTopic, of which its CustomResourceDefinition is made. */
export const kafkaTopicSchema = z.object({
  ...header("KafkaTopic"),
  spec: specSchema,
  status: statusSchema.optional(),
});

/** A topic, as the API server answers with it: what has a default is filled in. */
export type KafkaTopic = z.output<typeof kafkaTopicSchema>;
/** A topic, as people write it. */
export type KafkaTopicInput = z.input<typeof kafkaTopicSchema>;
/** What a topic should be. */
export type KafkaTopicSpec = z.output<typeof specSchema>;
/** What a topic is, as the operator says. */
export type KafkaTopicStatus = z.output<typeof statusSchema>;

/** The name in Kafka of the topic that a resource stands for. */
export function topicNameOf(topic: Pick<KafkaTopicInput, "metadata" | "spec">): string {
  return topic.spec.topicName ?? topic.metadata.name;
}
