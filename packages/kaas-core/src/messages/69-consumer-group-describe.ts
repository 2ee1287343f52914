import { api, type ApiSchema, field, list, struct, structs } from "./schema.js";

/**
 * ConsumerGroupDescribe (key 69): describes groups of the consumer protocol (KIP-848).
 *
 * - v0: a preview in 3.7, whose assignments had three more fields
 * - v1: whether a member still speaks the classic protocol (KIP-1099)
 */
export const consumerGroupDescribeApi: ApiSchema = api(69, "ConsumerGroupDescribe", "0-1", "0+", {
  request: [list("groupIds", "string", "0+"), field("includeAuthorizedOperations", "bool", "0+")],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    structs("groups", "DescribedGroup", "0+", [
      field("errorCode", "int16", "0+"),
      field("errorMessage", "string", "0+", { nullable: "0+", default: null }),
      field("groupId", "string", "0+"),
      field("groupState", "string", "0+"),
      field("groupEpoch", "int32", "0+"),
      field("assignmentEpoch", "int32", "0+"),
      field("assignorName", "string", "0+"),
      structs("members", "Member", "0+", [
        field("memberId", "string", "0+"),
        field("instanceId", "string", "0+", { nullable: "0+", default: null }),
        field("rackId", "string", "0+", { nullable: "0+", default: null }),
        field("memberEpoch", "int32", "0+"),
        field("clientId", "string", "0+"),
        field("clientHost", "string", "0+"),
        list("subscribedTopicNames", "string", "0+"),
        field("subscribedTopicRegex", "string", "0+", { nullable: "0+", default: null }),
        struct("assignment", "Assignment", "0+", [
          structs("topicPartitions", "TopicPartitions", "0+", [
            field("topicId", "uuid", "0+"),
            field("topicName", "string", "0+"),
            list("partitions", "int32", "0+"),
          ]),
        ]),
        struct("targetAssignment", "Assignment", "0+", [
          structs("topicPartitions", "TopicPartitions", "0+", [
            field("topicId", "uuid", "0+"),
            field("topicName", "string", "0+"),
            list("partitions", "int32", "0+"),
          ]),
        ]),
        field("memberType", "int8", "1+", { default: -1 }),
      ]),
      field("authorizedOperations", "int32", "0+", { default: -2147483648 }),
    ]),
  ],
});
