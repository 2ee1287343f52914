import { api, type ApiSchema, field, list, structs } from "./schema.js";

/** ListPartitionReassignments (key 46): lists the moves of replicas that are going on (KIP-455). */
export const listPartitionReassignmentsApi: ApiSchema = api(46, "ListPartitionReassignments", "0", "0+", {
  request: [
    field("timeoutMs", "int32", "0+", { default: 60000 }),
    structs(
      "topics",
      "ListPartitionReassignmentsTopics",
      "0+",
      [field("name", "string", "0+"), list("partitionIndexes", "int32", "0+")],
      { nullable: "0+", default: null },
    ),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "0+"),
    field("errorMessage", "string", "0+", { nullable: "0+" }),
    structs("topics", "OngoingTopicReassignment", "0+", [
      field("name", "string", "0+"),
      structs("partitions", "OngoingPartitionReassignment", "0+", [
        field("partitionIndex", "int32", "0+"),
        list("replicas", "int32", "0+"),
        list("addingReplicas", "int32", "0+"),
        list("removingReplicas", "int32", "0+"),
      ]),
    ]),
  ],
});
