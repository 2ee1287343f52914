import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * ListOffsets (key 2): finds offsets by time, or at the ends of a log.
 *
 * - v0: several offsets a partition, by segment; gone in 4.0
 * - v1: one offset a partition, with the record's timestamp (KIP-79)
 * - v2: isolation level: the end may be the last stable offset (KIP-98)
 * - v4: leader epochs, checked and answered (KIP-320)
 * - v5: OFFSET_NOT_AVAILABLE while a new leader does not know its high watermark (KIP-207)
 * - v7: -3, the record with the largest timestamp (KIP-734)
 * - v8: -4, the earliest offset that is local (KIP-405)
 * - v9: -5, the last offset that is tiered (KIP-1005)
 * - v10: a time limit for look-ups in remote storage (KIP-1075)
 * - v11: -6, the earliest offset not yet tiered (KIP-1023)
 */
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
