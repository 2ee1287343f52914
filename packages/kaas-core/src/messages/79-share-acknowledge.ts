import { api, type ApiSchema, field, list, struct, structs } from "./schema.js";

/**
 * ShareAcknowledge (key 79): acknowledges records that a member of a share group acquired (KIP-932).
 *
 * - v0: early access in 4.0, gone since
 * - v2: acknowledgements that prolong the lock (KIP-1222)
 */
export const shareAcknowledgeApi: ApiSchema = api(79, "ShareAcknowledge", "1-2", "0+", {
  request: [
    field("groupId", "string", "0+", { nullable: "0+", default: null }),
    field("memberId", "string", "0+", { nullable: "0+" }),
    field("shareSessionEpoch", "int32", "0+"),
    field("isRenewAck", "bool", "2+"),
    structs("topics", "AcknowledgeTopic", "0+", [
      field("topicId", "uuid", "0+"),
      structs("partitions", "AcknowledgePartition", "0+", [
        field("partitionIndex", "int32", "0+"),
        structs("acknowledgementBatches", "AcknowledgementBatch", "0+", [
          field("firstOffset", "int64", "0+"),
          field("lastOffset", "int64", "0+"),
          list("acknowledgeTypes", "int8", "0+"),
        ]),
      ]),
    ]),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "0+"),
    field("errorMessage", "string", "0+", { nullable: "0+", default: null }),
    field("acquisitionLockTimeoutMs", "int32", "2+"),
    structs("responses", "ShareAcknowledgeTopicResponse", "0+", [
      field("topicId", "uuid", "0+"),
      structs("partitions", "PartitionData", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("errorCode", "int16", "0+"),
        field("errorMessage", "string", "0+", { nullable: "0+", default: null }),
        struct("currentLeader", "LeaderIdAndEpoch", "0+", [
          field("leaderId", "int32", "0+"),
          field("leaderEpoch", "int32", "0+"),
        ]),
      ]),
    ]),
    structs("nodeEndpoints", "NodeEndpoint", "0+", [
      field("nodeId", "int32", "0+"),
      field("host", "string", "0+"),
      field("port", "int32", "0+"),
      field("rack", "string", "0+", { nullable: "0+", default: null }),
    ]),
  ],
});
