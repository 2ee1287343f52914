import { api, type ApiSchema, field, list, struct, structs } from "./schema.js";

/** DescribeTopicPartitions (key 75): describes topics page by page (KIP-966). */
export const describeTopicPartitionsApi: ApiSchema = api(75, "DescribeTopicPartitions", "0", "0+", {
  request: [
    structs("topics", "TopicRequest", "0+", [field("name", "string", "0+")]),
    field("responsePartitionLimit", "int32", "0+", { default: 2000 }),
    struct("cursor", "Cursor", "0+", [field("topicName", "string", "0+"), field("partitionIndex", "int32", "0+")], {
      nullable: "0+",
      default: null,
    }),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    structs("topics", "DescribeTopicPartitionsResponseTopic", "0+", [
      field("errorCode", "int16", "0+"),
      field("name", "string", "0+", { nullable: "0+" }),
      field("topicId", "uuid", "0+"),
      field("isInternal", "bool", "0+"),
      structs("partitions", "DescribeTopicPartitionsResponsePartition", "0+", [
        field("errorCode", "int16", "0+"),
        field("partitionIndex", "int32", "0+"),
        field("leaderId", "int32", "0+"),
        field("leaderEpoch", "int32", "0+", { default: -1 }),
        list("replicaNodes", "int32", "0+"),
        list("isrNodes", "int32", "0+"),
        list("eligibleLeaderReplicas", "int32", "0+", { nullable: "0+", default: null }),
        list("lastKnownElr", "int32", "0+", { nullable: "0+", default: null }),
        list("offlineReplicas", "int32", "0+"),
      ]),
      field("topicAuthorizedOperations", "int32", "0+", { default: -2147483648 }),
    ]),
    struct("nextCursor", "Cursor", "0+", [field("topicName", "string", "0+"), field("partitionIndex", "int32", "0+")], {
      nullable: "0+",
      default: null,
    }),
  ],
});
