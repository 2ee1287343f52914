import { api, type ApiSchema, field, structs } from "./schema.js";

/**
 * OffsetCommit (key 8): commits a group's offsets.
 *
 * - v1: member and generation; a time for each commit, in this version only
 * - v2: retention time, gone again in version 5 (KIP-211)
 * - v4: throttled clients wait by themselves (KIP-219)
 * - v6: leader epochs of the offsets (KIP-320)
 * - v7: static members (KIP-345)
 * - v9: members of the consumer protocol: STALE_MEMBER_EPOCH, GROUP_ID_NOT_FOUND (KIP-848)
 * - v10: topic ids in the place of names (KIP-848)
 */
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
