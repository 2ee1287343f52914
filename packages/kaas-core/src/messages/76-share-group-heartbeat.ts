import { api, type ApiSchema, field, list, struct, structs } from "./schema.js";

/**
 * ShareGroupHeartbeat (key 76): is what ConsumerGroupHeartbeat is, for members of a share group (KIP-932).
 *
 * - v0: early access in 4.0, gone since
 */
export const shareGroupHeartbeatApi: ApiSchema = api(76, "ShareGroupHeartbeat", "1", "0+", {
  request: [
    field("groupId", "string", "0+"),
    field("memberId", "string", "0+"),
    field("memberEpoch", "int32", "0+"),
    field("rackId", "string", "0+", { nullable: "0+", default: null }),
    list("subscribedTopicNames", "string", "0+", { nullable: "0+", default: null }),
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
