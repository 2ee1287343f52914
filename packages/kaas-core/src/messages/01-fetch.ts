import { api, type ApiSchema, field, list, struct, structs } from "./schema.js";

/**
 * Fetch (key 1): reads record batches, waiting for some where there are none yet.
 *
 * - v3: `maxBytes` for the whole answer; partitions are served in the order of the request (KIP-74)
 * - v4: isolation level, last stable offset and aborted transactions (KIP-98)
 * - v5: log start offset (KIP-107)
 * - v7: incremental sessions (KIP-227)
 * - v8: throttled clients wait by themselves (KIP-219)
 * - v9: the leader epoch that the client knows is checked (KIP-320)
 * - v10: zstd (KIP-110)
 * - v11: the client's rack, and a preferred replica in the answer (KIP-392)
 * - v12: where logs diverge, and who leads now (KIP-595)
 * - v13: topic ids in the place of names (KIP-516)
 * - v14: OFFSET_MOVED_TO_TIERED_STORAGE (KIP-405)
 * - v15: a follower's id and epoch, tagged (KIP-903)
 * - v16: endpoints of the leaders named in the answer (KIP-951)
 * - v17: a follower's directory id (KIP-853)
 * - v18: a follower's high watermark (KIP-1166)
 */
export const fetchApi: ApiSchema = api(1, "Fetch", "0-18", "12+", {
  request: [
    field("clusterId", "string", "12+", { nullable: "12+", default: null, tag: 0 }),
    field("replicaId", "int32", "0-14", { default: -1 }),
    struct(
      "replicaState",
      "ReplicaState",
      "15+",
      [field("replicaId", "int32", "15+", { default: -1 }), field("replicaEpoch", "int64", "15+", { default: -1 })],
      { tag: 1 },
    ),
    field("maxWaitMs", "int32", "0+"),
    field("minBytes", "int32", "0+"),
    field("maxBytes", "int32", "3+", { default: 2147483647 }),
    field("isolationLevel", "int8", "4+"),
    field("sessionId", "int32", "7+"),
    field("sessionEpoch", "int32", "7+", { default: -1 }),
    structs("topics", "FetchTopic", "0+", [
      field("topic", "string", "0-12"),
      field("topicId", "uuid", "13+"),
      structs("partitions", "FetchPartition", "0+", [
        field("partition", "int32", "0+"),
        field("currentLeaderEpoch", "int32", "9+", { default: -1 }),
        field("fetchOffset", "int64", "0+"),
        field("lastFetchedEpoch", "int32", "12+", { default: -1 }),
        field("logStartOffset", "int64", "5+", { default: -1 }),
        field("partitionMaxBytes", "int32", "0+"),
        field("replicaDirectoryId", "uuid", "17+", { tag: 0 }),
        field("highWatermark", "int64", "18+", { default: 2 ** 63, tag: 1 }),
      ]),
    ]),
    structs("forgottenTopicsData", "ForgottenTopic", "7+", [
      field("topic", "string", "7-12"),
      field("topicId", "uuid", "13+"),
      list("partitions", "int32", "7+"),
    ]),
    field("rackId", "string", "11+"),
  ],
  response: [
    field("throttleTimeMs", "int32", "1+"),
    field("errorCode", "int16", "7+"),
    field("sessionId", "int32", "7+"),
    structs("responses", "FetchableTopicResponse", "0+", [
      field("topic", "string", "0-12"),
      field("topicId", "uuid", "13+"),
      structs("partitions", "PartitionData", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("errorCode", "int16", "0+"),
        field("highWatermark", "int64", "0+"),
        field("lastStableOffset", "int64", "4+", { default: -1 }),
        field("logStartOffset", "int64", "5+", { default: -1 }),
        struct(
          "divergingEpoch",
          "EpochEndOffset",
          "12+",
          [field("epoch", "int32", "12+", { default: -1 }), field("endOffset", "int64", "12+", { default: -1 })],
          { tag: 0 },
        ),
        struct(
          "currentLeader",
          "LeaderIdAndEpoch",
          "12+",
          [field("leaderId", "int32", "12+", { default: -1 }), field("leaderEpoch", "int32", "12+", { default: -1 })],
          { tag: 1 },
        ),
        struct(
          "snapshotId",
          "SnapshotId",
          "12+",
          [field("endOffset", "int64", "0+", { default: -1 }), field("epoch", "int32", "0+", { default: -1 })],
          { tag: 2 },
        ),
        structs(
          "abortedTransactions",
          "AbortedTransaction",
          "4+",
          [field("producerId", "int64", "4+"), field("firstOffset", "int64", "4+")],
          { nullable: "4+" },
        ),
        field("preferredReadReplica", "int32", "11+", { default: -1 }),
        field("records", "records", "0+", { nullable: "0+" }),
      ]),
    ]),
    structs(
      "nodeEndpoints",
      "NodeEndpoint",
      "16+",
      [
        field("nodeId", "int32", "16+"),
        field("host", "string", "16+"),
        field("port", "int32", "16+"),
        field("rack", "string", "16+", { nullable: "16+", default: null }),
      ],
      { tag: 0 },
    ),
  ],
});
