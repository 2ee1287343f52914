import { api, type ApiSchema, field, struct, structs } from "./schema.js";

/**
 * Produce (key 0): appends record batches to partitions.
 *
 * - v3: record format 2 and the transactional id (KIP-98); 4.x brokers refuse what is older, yet list version 0
 *   (KAFKA-18659)
 * - v4: KAFKA_STORAGE_ERROR may be answered
 * - v5: the answer names the log start offset
 * - v6: throttled clients wait by themselves (KIP-219)
 * - v7: zstd (KIP-110)
 * - v8: which records made a batch be refused, and why (KIP-467)
 * - v10: where the leader is now, when it is not here (KIP-951)
 * - v11: TRANSACTION_ABORTABLE (KIP-890)
 * - v12: adds the partition to the transaction by itself, with transaction.version 2 (KIP-890)
 * - v13: topic ids in the place of names (KIP-516)
 */
export const produceApi: ApiSchema = api(0, "Produce", "0-13", "9+", {
  request: [
    field("transactionalId", "string", "3+", { nullable: "3+", default: null }),
    field("acks", "int16", "0+"),
    field("timeoutMs", "int32", "0+"),
    structs("topicData", "TopicProduceData", "0+", [
      field("name", "string", "0-12"),
      field("topicId", "uuid", "13+"),
      structs("partitionData", "PartitionProduceData", "0+", [
        field("index", "int32", "0+"),
        field("records", "records", "0+", { nullable: "0+" }),
      ]),
    ]),
  ],
  response: [
    structs("responses", "TopicProduceResponse", "0+", [
      field("name", "string", "0-12"),
      field("topicId", "uuid", "13+"),
      structs("partitionResponses", "PartitionProduceResponse", "0+", [
        field("index", "int32", "0+"),
        field("errorCode", "int16", "0+"),
        field("baseOffset", "int64", "0+"),
        field("logAppendTimeMs", "int64", "2+", { default: -1 }),
        field("logStartOffset", "int64", "5+", { default: -1 }),
        structs("recordErrors", "BatchIndexAndErrorMessage", "8+", [
          field("batchIndex", "int32", "8+"),
          field("batchIndexErrorMessage", "string", "8+", { nullable: "8+", default: null }),
        ]),
        field("errorMessage", "string", "8+", { nullable: "8+", default: null }),
        struct(
          "currentLeader",
          "LeaderIdAndEpoch",
          "10+",
          [field("leaderId", "int32", "10+", { default: -1 }), field("leaderEpoch", "int32", "10+", { default: -1 })],
          { tag: 0 },
        ),
      ]),
    ]),
    field("throttleTimeMs", "int32", "1+"),
    structs(
      "nodeEndpoints",
      "NodeEndpoint",
      "10+",
      [
        field("nodeId", "int32", "10+"),
        field("host", "string", "10+"),
        field("port", "int32", "10+"),
        field("rack", "string", "10+", { nullable: "10+", default: null }),
      ],
      { tag: 0 },
    ),
  ],
});
