import * as z from "zod";
import { conditionsSchema } from "./conditions.js";
import { header } from "./metadata.js";

const nodeId = z.int().min(-1);

/** Numbers by partition or slot: one writer, who replaces them together. */
const numbers = z.array(z.int().min(-1)).meta({ "x-kubernetes-list-type": "atomic" });

const statusSchema = z
  .object({
    conditions: conditionsSchema.optional(),
    controllerId: nodeId.optional().describe("Node id of the controller that decided this."),
    controllerEpoch: z.int().min(0).optional().describe("Epoch of that controller."),
    version: z.int().min(0).optional().describe("Number of the decision within the epoch."),
    publishedAt: z.string().meta({ format: "date-time" }).optional().describe("When it was decided."),
    brokers: z
      .array(
        z.object({
          nodeId: nodeId.describe("Kafka's node id: the pod's ordinal."),
          name: z.string().describe("Name of the pod."),
          rack: z.string().optional().describe("Where it runs, if that is known."),
          fenced: z.boolean().optional().describe("Whether it is known, but does not serve."),
          leads: z.int().min(0).optional().describe("How many partitions it leads."),
        }),
      )
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["nodeId"] })
      .optional()
      .describe("The brokers."),
    topics: z
      .array(
        z.object({
          name: z.string().describe("The topic's name in Kafka."),
          topicId: z.string().describe("Which topic of that name it is."),
          leaders: numbers.describe("Node ids of the leaders by partition; -1 where there is none."),
          leaderEpochs: numbers.optional().describe("Their epochs by partition; -1 while none is known."),
        }),
      )
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] })
      .optional()
      .describe("Who leads which partition."),
    slots: z
      .object({
        groups: numbers.describe("Node ids of the coordinators of consumer groups by slot."),
        transactions: numbers.describe("Node ids of the coordinators of transactions by slot."),
      })
      .optional()
      .describe("Who coordinates."),
    topicCount: z.int().min(0).optional().describe("How many topics there are, those included that are left out here."),
    partitionCount: z.int().min(0).optional().describe("How many partitions there are in all."),
    truncated: z
      .boolean()
      .optional()
      .describe("Whether topics had to be left out, as the object would have been too large."),
  })
  .describe("A copy for people and dashboards of what the brokers go by. No broker reads it.");

/** The schema of a KafkaClusterAssignments, of which its CustomResourceDefinition is made. */
export const kafkaClusterAssignmentsSchema = z.object({
  ...header("KafkaClusterAssignments"),
  status: statusSchema.optional(),
});

/** Who leads what in a cluster, for people. The operator creates it, and the controller keeps its status. */
export type KafkaClusterAssignments = z.output<typeof kafkaClusterAssignmentsSchema>;
/** The newest assignment, shortened where an object could not hold it. */
export type KafkaClusterAssignmentsStatus = z.output<typeof statusSchema>;
