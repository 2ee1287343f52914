import { api, type ApiSchema, field, structs } from "./schema.js";

/**
 * OffsetForLeaderEpoch (key 23): says where a leader epoch ended (KIP-101).
 *
 * - v1: the epoch in the answer (KIP-279)
 * - v2: the leader epoch that the client knows is checked (KIP-320)
 * - v3: who asks: a replica's id, or -2 for a consumer (KIP-392)
 */
export const offsetForLeaderEpochApi: ApiSchema = api(23, "OffsetForLeaderEpoch", "0-4", "4+", {
  request: [
    field("replicaId", "int32", "3+", { default: -2 }),
    structs("topics", "OffsetForLeaderTopic", "0+", [
      field("topic", "string", "0+"),
      structs("partitions", "OffsetForLeaderPartition", "0+", [
        field("partition", "int32", "0+"),
        field("currentLeaderEpoch", "int32", "2+", { default: -1 }),
        field("leaderEpoch", "int32", "0+"),
      ]),
    ]),
  ],
  response: [
    field("throttleTimeMs", "int32", "2+"),
    structs("topics", "OffsetForLeaderTopicResult", "0+", [
      field("topic", "string", "0+"),
      structs("partitions", "EpochEndOffset", "0+", [
        field("errorCode", "int16", "0+"),
        field("partition", "int32", "0+"),
        field("leaderEpoch", "int32", "1+", { default: -1 }),
        field("endOffset", "int64", "0+", { default: -1 }),
      ]),
    ]),
  ],
});
