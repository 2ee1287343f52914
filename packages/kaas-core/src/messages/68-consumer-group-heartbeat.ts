import { api, type ApiSchema, field, list, struct, structs } from "./schema.js";

/**
 * ConsumerGroupHeartbeat (key 68): is all that a member of a consumer group needs: it joins, reports, learns its
 * assignment and leaves (KIP-848).
 *
 * - v1: topics by regular expression; members choose their own ids (KIP-1082)
 */
export const consumerGroupHeartbeatApi: ApiSchema = api(68, "ConsumerGroupHeartbeat", "0-1", "0+", {
  request: [
    field("groupId", "string", "0+"),
    field("memberId", "string", "0+"),
    field("memberEpoch", "int32", "0+"),
    field("instanceId", "string", "0+", { nullable: "0+", default: null }),
    field("rackId", "string", "0+", { nullable: "0+", default: null }),
    field("rebalanceTimeoutMs", "int32", "0+", { default: -1 }),
    list("subscribedTopicNames", "string", "0+", { nullable: "0+", default: null }),
    field("subscribedTopicRegex", "string", "1+", { nullable: "1+", default: null }),
    field("serverAssignor", "string", "0+", { nullable: "0+", default: null }),
    structs(
      "topicPartitions",
      "TopicPartitions",
      "0+",
      [field("topicId", "uuid", "0+"), list("partitions", "int32", "0+")],
      { nullable: "0+", default: null },
    ),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "0+"),
    field("errorMessage", "string", "0+", { nullable: "0+", default: null }),
    field("memberId", "string", "0+", { nullable: "0+", default: null }),
    field("memberEpoch", "int32", "0+"),
    field("heartbeatIntervalMs", "int32", "0+"),
    struct(
      "assignment",
      "Assignment",
      "0+",
      [
        structs("topicPartitions", "TopicPartitions", "0+", [
          field("topicId", "uuid", "0+"),
          list("partitions", "int32", "0+"),
        ]),
      ],
      { nullable: "0+", default: null },
    ),
  ],
});
