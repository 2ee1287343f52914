import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * CreatePartitions (key 37): adds partitions to topics (KIP-195).
 *
 * - v1: throttled clients wait by themselves (KIP-219)
 * - v3: THROTTLING_QUOTA_EXCEEDED (KIP-599)
 */
export const createPartitionsApi: ApiSchema = api(37, "CreatePartitions", "0-3", "2+", {
  request: [
    structs("topics", "CreatePartitionsTopic", "0+", [
      field("name", "string", "0+"),
      field("count", "int32", "0+"),
      structs("assignments", "CreatePartitionsAssignment", "0+", [list("brokerIds", "int32", "0+")], {
        nullable: "0+",
      }),
    ]),
    field("timeoutMs", "int32", "0+"),
    field("validateOnly", "bool", "0+"),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    structs("results", "CreatePartitionsTopicResult", "0+", [
      field("name", "string", "0+"),
      field("errorCode", "int16", "0+"),
      field("errorMessage", "string", "0+", { nullable: "0+", default: null }),
    ]),
  ],
});
