import { api, type ApiSchema, field, structs } from "./schema.js";

/**
 * TxnOffsetCommit (key 28): commits offsets within a transaction (KIP-98).
 *
 * - v1: throttled clients wait by themselves (KIP-219)
 * - v2: leader epochs of the offsets (KIP-320)
 * - v3: the group's member and generation are checked (KIP-447)
 * - v4: TRANSACTION_ABORTABLE (KIP-890)
 * - v5: adds the group to the transaction by itself, with transaction.version 2 (KIP-890)
 * - v6: topic ids in the place of names (KIP-1319)
 */
export const txnOffsetCommitApi: ApiSchema = api(28, "TxnOffsetCommit", "0-6", "3+", {
  request: [
    field("transactionalId", "string", "0+"),
    field("groupId", "string", "0+"),
    field("producerId", "int64", "0+"),
    field("producerEpoch", "int16", "0+"),
    field("generationIdOrMemberEpoch", "int32", "3+", { default: -1 }),
    field("memberId", "string", "3+"),
    field("groupInstanceId", "string", "3+", { nullable: "3+", default: null }),
    structs("topics", "TxnOffsetCommitRequestTopic", "0+", [
      field("name", "string", "0-5"),
      field("topicId", "uuid", "6+"),
      structs("partitions", "TxnOffsetCommitRequestPartition", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("committedOffset", "int64", "0+"),
        field("committedLeaderEpoch", "int32", "2+", { default: -1 }),
        field("committedMetadata", "string", "0+", { nullable: "0+" }),
      ]),
    ]),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    structs("topics", "TxnOffsetCommitResponseTopic", "0+", [
      field("name", "string", "0-5"),
      field("topicId", "uuid", "6+"),
      structs("partitions", "TxnOffsetCommitResponsePartition", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("errorCode", "int16", "0+"),
      ]),
    ]),
  ],
});
