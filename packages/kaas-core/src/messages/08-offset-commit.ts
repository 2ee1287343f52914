import { api, type ApiSchema, field, structs } from "./schema.js";

/** OffsetCommit (key 8). */
export const offsetCommitApi: ApiSchema = api(8, "OffsetCommit", "0-10", "8+", {
  request: [
    field("groupId", "string", "0+"),
    field("generationIdOrMemberEpoch", "int32", "1+", { default: -1 }),
    field("memberId", "string", "1+"),
    field("groupInstanceId", "string", "7+", { nullable: "7+", default: null }),
    field("retentionTimeMs", "int64", "2-4", { default: -1 }),
    structs("topics", "OffsetCommitRequestTopic", "0+", [
      field("name", "string", "0-9"),
      field("topicId", "uuid", "10+"),
      structs("partitions", "OffsetCommitRequestPartition", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("committedOffset", "int64", "0+"),
        field("committedLeaderEpoch", "int32", "6+", { default: -1 }),
        field("commitTimestamp", "int64", "1", { default: -1 }),
        field("committedMetadata", "string", "0+", { nullable: "0+" }),
      ]),
    ]),
  ],
  response: [
    field("throttleTimeMs", "int32", "3+"),
    structs("topics", "OffsetCommitResponseTopic", "0+", [
      field("name", "string", "0-9"),
      field("topicId", "uuid", "10+"),
      structs("partitions", "OffsetCommitResponsePartition", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("errorCode", "int16", "0+"),
      ]),
    ]),
  ],
});
