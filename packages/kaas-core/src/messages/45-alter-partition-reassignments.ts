import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * AlterPartitionReassignments (key 45): moves replicas of partitions, or cancels that (KIP-455).
 *
 * - v1: whether the replication factor may change (KIP-860)
 */
export const alterPartitionReassignmentsApi: ApiSchema = api(45, "AlterPartitionReassignments", "0-1", "0+", {
  request: [
    field("timeoutMs", "int32", "0+", { default: 60000 }),
    field("allowReplicationFactorChange", "bool", "1+", { default: true }),
    structs("topics", "ReassignableTopic", "0+", [
      field("name", "string", "0+"),
      structs("partitions", "ReassignablePartition", "0+", [
        field("partitionIndex", "int32", "0+"),
        list("replicas", "int32", "0+", { nullable: "0+", default: null }),
      ]),
    ]),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("allowReplicationFactorChange", "bool", "1+", { default: true }),
    field("errorCode", "int16", "0+"),
    field("errorMessage", "string", "0+", { nullable: "0+" }),
    structs("responses", "ReassignableTopicResponse", "0+", [
      field("name", "string", "0+"),
      structs("partitions", "ReassignablePartitionResponse", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("errorCode", "int16", "0+"),
        field("errorMessage", "string", "0+", { nullable: "0+" }),
      ]),
    ]),
  ],
});
