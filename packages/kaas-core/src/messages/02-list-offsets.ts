import { api, type ApiSchema, field, list, structs } from "./schema.js";

/** ListOffsets (key 2). */
export const listOffsetsApi: ApiSchema = api(2, "ListOffsets", "0-11", "6+", {
  request: [
    field("replicaId", "int32", "0+"),
    field("isolationLevel", "int8", "2+"),
    structs("topics", "ListOffsetsTopic", "0+", [
      field("name", "string", "0+"),
      structs("partitions", "ListOffsetsPartition", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("currentLeaderEpoch", "int32", "4+", { default: -1 }),
        field("timestamp", "int64", "0+"),
        field("maxNumOffsets", "int32", "0", { default: 1 }),
      ]),
    ]),
    field("timeoutMs", "int32", "10+"),
  ],
  response: [
    field("throttleTimeMs", "int32", "2+"),
    structs("topics", "ListOffsetsTopicResponse", "0+", [
      field("name", "string", "0+"),
      structs("partitions", "ListOffsetsPartitionResponse", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("errorCode", "int16", "0+"),
        list("oldStyleOffsets", "int64", "0"),
        field("timestamp", "int64", "1+", { default: -1 }),
        field("offset", "int64", "1+", { default: -1 }),
        field("leaderEpoch", "int32", "4+", { default: -1 }),
      ]),
    ]),
  ],
});
