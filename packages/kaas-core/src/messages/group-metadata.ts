/** Records of Apache Kafka's own offsets topic, for tools that import or inspect them. */
import { data, field, type MessageSchema, structs } from "./schema.js";

export const groupMetadataKey: MessageSchema = data("GroupMetadataKey", "0", "none", [field("group", "string", "0")]);

export const groupMetadataValue: MessageSchema = data("GroupMetadataValue", "0-4", "4+", [
  field("protocolType", "string", "0+"),
  field("generation", "int32", "0+"),
  field("protocol", "string", "0+", { nullable: "0+" }),
  field("leader", "string", "0+", { nullable: "0+" }),
  field("currentStateTimestamp", "int64", "2+", { default: -1 }),
  structs("members", "MemberMetadata", "0+", [
    field("memberId", "string", "0+"),
    field("groupInstanceId", "string", "3+", { nullable: "3+", default: null }),
    field("clientId", "string", "0+"),
    field("clientHost", "string", "0+"),
    field("rebalanceTimeout", "int32", "1+", { default: -1 }),
    field("sessionTimeout", "int32", "0+"),
    field("subscription", "bytes", "0+"),
    field("assignment", "bytes", "0+"),
  ]),
]);

export const offsetCommitKey: MessageSchema = data("OffsetCommitKey", "0", "none", [
  field("group", "string", "0"),
  field("topic", "string", "0"),
  field("partition", "int32", "0"),
]);

export const offsetCommitValue: MessageSchema = data("OffsetCommitValue", "0-4", "4+", [
  field("offset", "int64", "0+"),
  field("leaderEpoch", "int32", "3+", { default: -1 }),
  field("metadata", "string", "0+"),
  field("commitTimestamp", "int64", "0+"),
  field("expireTimestamp", "int64", "1", { default: -1 }),
  field("topicId", "uuid", "4+", { tag: 0 }),
]);
