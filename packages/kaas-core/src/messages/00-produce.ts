import { api, type ApiSchema, field, struct, structs } from "./schema.js";

/** Produce (key 0). */
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
