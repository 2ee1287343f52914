import type * as z from "zod";
import { kafkaClusterSchema } from "./kafka-cluster.js";
import { kafkaClusterAssignmentsSchema } from "./kafka-cluster-assignments.js";
import { kafkaTopicSchema } from "./kafka-topic.js";
import { kafkaUserSchema } from "./kafka-user.js";
import type { ResourceRules } from "./rule.js";
import { assignmentsRules, clusterRules, topicRules, userRules } from "./rules.js";

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean" | "date";
  readonly jsonPath: string;
  readonly description?: string;
  /** 1: only with `-o wide`. */
  readonly priority?: 1;
}

/** All that there is to say of one kind of resource. */
export interface ResourceDefinition extends ResourceRules {
  readonly kind: ResourceKind;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly schema: z.ZodType;
  readonly columns: readonly PrinterColumn[];
}

const readyStatus = '.status.conditions[?(@.type=="Ready")]';
const ready: readonly PrinterColumn[] = [
  { name: "Ready", type: "string", jsonPath: `${readyStatus}.status`, description: "Whether it is in force." },
  { name: "Reason", type: "string", jsonPath: `${readyStatus}.reason`, description: "Why, in one word." },
];
const message: PrinterColumn = {
  name: "Message",
  type: "string",
  jsonPath: `${readyStatus}.message`,
  description: "Why.",
  priority: 1,
};
const age: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** The kinds of resources that kaas has. */
export const RESOURCE_KINDS = ["KafkaTopic", "KafkaUser", "KafkaCluster", "KafkaClusterAssignments"] as const;
/** One of {@link RESOURCE_KINDS}. */
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

export const resourceDefinitions: Readonly<Record<ResourceKind, ResourceDefinition>> = {
  KafkaTopic: {
    kind: "KafkaTopic",
    plural: "kafkatopics",
    singular: "kafkatopic",
    shortNames: ["kt"],
    description: "A topic.",
    schema: kafkaTopicSchema,
    ...topicRules,
    columns: [
      { name: "Partitions", type: "integer", jsonPath: ".status.partitionCount", description: "How many there are." },
      ...ready,
      { name: "Topic", type: "string", jsonPath: ".status.topicName", description: "Its name in Kafka.", priority: 1 },
      { name: "Id", type: "string", jsonPath: ".status.topicId", description: "Its id in Kafka.", priority: 1 },
      message,
      age,
    ],
  },
  KafkaUser: {
    kind: "KafkaUser",
    plural: "kafkausers",
    singular: "kafkauser",
    shortNames: ["ku"],
    description: "A user: how it logs in, what it may do, and how much.",
    schema: kafkaUserSchema,
    ...userRules,
    columns: [
      { name: "Authentication", type: "string", jsonPath: ".spec.authentication.type", description: "How it logs in." },
      { name: "Authorization", type: "string", jsonPath: ".spec.authorization.type", description: "What decides." },
      ...ready,
      { name: "Secret", type: "string", jsonPath: ".status.secret", description: "What a client needs.", priority: 1 },
      message,
      age,
    ],
  },
  KafkaCluster: {
    kind: "KafkaCluster",
    plural: "kafkaclusters",
    singular: "kafkacluster",
    shortNames: ["kc"],
    description: "A cluster: its listeners, and how they are reached from outside.",
    schema: kafkaClusterSchema,
    ...clusterRules,
    columns: [
      {
        name: "Desired",
        type: "integer",
        jsonPath: ".spec.replicas",
        description: "How many brokers it should have.",
      },
      {
        name: "Replicas",
        type: "integer",
        jsonPath: ".status.replicas",
        description: "How many have what they need to be reached.",
      },
      ...ready,
      {
        name: "Bootstrap",
        type: "string",
        jsonPath: ".status.bootstrapServers",
        description: "What clients begin with.",
        priority: 1,
      },
      message,
      age,
    ],
  },
  KafkaClusterAssignments: {
    kind: "KafkaClusterAssignments",
    plural: "kafkaclusterassignments",
    singular: "kafkaclusterassignments",
    shortNames: ["kca"],
    description: "Who leads what in a cluster. A copy for people; the operator creates it, and no broker reads it.",
    schema: kafkaClusterAssignmentsSchema,
    ...assignmentsRules,
    columns: [
      { name: "Controller", type: "integer", jsonPath: ".status.controllerId", description: "Node id." },
      { name: "Epoch", type: "integer", jsonPath: ".status.controllerEpoch", description: "Of the controller." },
      { name: "Version", type: "integer", jsonPath: ".status.version", description: "Of the assignment." },
      { name: "Partitions", type: "integer", jsonPath: ".status.partitionCount", description: "How many there are." },
      { name: "Truncated", type: "boolean", jsonPath: ".status.truncated", description: "Whether some are left out." },
      age,
    ],
  },
};
