import { api, type ApiSchema, field, structs } from "./schema.js";

/**
 * OffsetDelete (key 47): deletes a group's committed offsets of topics that it does not subscribe to (KIP-496). Never
 * flexible.
 */
export const offsetDeleteApi: ApiSchema = api(47, "OffsetDelete", "0", "none", {
  request: [
    field("groupId", "string", "0+"),
    structs("topics", "OffsetDeleteRequestTopic", "0+", [
      field("name", "string", "0+"),
      structs("partitions", "OffsetDeleteRequestPartition", "0+", [field("partitionIndex", "int32", "0+")]),
    ]),
  ],
  response: [
    field("errorCode", "int16", "0+"),
    field("throttleTimeMs", "int32", "0+"),
    structs("topics", "OffsetDeleteResponseTopic", "0+", [
      field("name", "string", "0+"),
      structs("partitions", "OffsetDeleteResponsePartition", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("errorCode", "int16", "0+"),
      ]),
    ]),
  ],
});
