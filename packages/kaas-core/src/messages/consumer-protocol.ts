/** What consumers put into the bytes fields of JoinGroup and SyncGroup. */
import { data, field, list, type MessageSchema, structs } from "./schema.js";

export const consumerProtocolSubscription: MessageSchema = data("ConsumerProtocolSubscription", "0-3", "none", [
  list("topics", "string", "0+"),
  field("userData", "bytes", "0+", { nullable: "0+", default: null }),
  structs("ownedPartitions", "TopicPartition", "1+", [
    field("topic", "string", "1+"),
    list("partitions", "int32", "1+"),
  ]),
  field("generationId", "int32", "2+", { default: -1 }),
  field("rackId", "string", "3+", { nullable: "3+", default: null }),
]);

export const consumerProtocolAssignment: MessageSchema = data("ConsumerProtocolAssignment", "0-3", "none", [
  structs("assignedPartitions", "TopicPartition", "0+", [
    field("topic", "string", "0+"),
    list("partitions", "int32", "0+"),
  ]),
  field("userData", "bytes", "0+", { nullable: "0+", default: null }),
]);
