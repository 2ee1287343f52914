import { api, type ApiSchema, field, list, struct, structs } from "./schema.js";

/**
 * ShareGroupDescribe (key 77): describes share groups (KIP-932).
 *
 * - v0: early access in 4.0, gone since
 */
export const shareGroupDescribeApi: ApiSchema = api(77, "ShareGroupDescribe", "1", "0+", {
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
        field("rackId", "string", "0+", { nullable: "0+", default: null }),
        field("memberEpoch", "int32", "0+"),
        field("clientId", "string", "0+"),
        field("clientHost", "string", "0+"),
        list("subscribedTopicNames", "string", "0+"),
        struct("assignment", "Assignment", "0+", [
          structs("topicPartitions", "TopicPartitions", "0+", [
            field("topicId", "uuid", "0+"),
            field("topicName", "string", "0+"),
            list("partitions", "int32", "0+"),
          ]),
        ]),
      ]),
      field("authorizedOperations", "int32", "0+", { default: -2147483648 }),
    ]),
  ],
});
