import { api, type ApiSchema, field, structs } from "./schema.js";

/** AlterShareGroupOffsets (key 91): sets where an empty share group starts (KIP-932). */
export const alterShareGroupOffsetsApi: ApiSchema = api(91, "AlterShareGroupOffsets", "0", "0+", {
  request: [
    field("groupId", "string", "0+"),
    structs("topics", "AlterShareGroupOffsetsRequestTopic", "0+", [
      field("topicName", "string", "0+"),
      structs("partitions", "AlterShareGroupOffsetsRequestPartition", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("startOffset", "int64", "0+"),
      ]),
    ]),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "0+"),
    field("errorMessage", "string", "0+", { nullable: "0+", default: null }),
    structs("responses", "AlterShareGroupOffsetsResponseTopic", "0+", [
      field("topicName", "string", "0+"),
      field("topicId", "uuid", "0+"),
      structs("partitions", "AlterShareGroupOffsetsResponsePartition", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("errorCode", "int16", "0+"),
        field("errorMessage", "string", "0+", { nullable: "0+", default: null }),
      ]),
    ]),
  ],
});
