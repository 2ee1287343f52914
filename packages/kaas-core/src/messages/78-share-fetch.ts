import { api, type ApiSchema, field, list, struct, structs } from "./schema.js";

/**
 * ShareFetch (key 78): acquires records for a member of a share group, and may acknowledge earlier ones (KIP-932).
 *
 * - v0: early access in 4.0, gone since
 * - v2: a strict limit of records (KIP-1206), acknowledgements that prolong the lock (KIP-1222)
 */
export const shareFetchApi: ApiSchema = api(78, "ShareFetch", "1-2", "0+", {
  request: [
    field("groupId", "string", "0+", { nullable: "0+", default: null }),
    field("memberId", "string", "0+", { nullable: "0+" }),
    field("shareSessionEpoch", "int32", "0+"),
    field("maxWaitMs", "int32", "0+"),
    field("minBytes", "int32", "0+"),
    field("maxBytes", "int32", "0+", { default: 2147483647 }),
    field("maxRecords", "int32", "1+"),
    field("batchSize", "int32", "1+"),
    field("shareAcquireMode", "int8", "2+"),
    field("isRenewAck", "bool", "2+"),
    structs("topics", "FetchTopic", "0+", [
      field("topicId", "uuid", "0+"),
      structs("partitions", "FetchPartition", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("partitionMaxBytes", "int32", "0"),
        structs("acknowledgementBatches", "AcknowledgementBatch", "0+", [
          field("firstOffset", "int64", "0+"),
          field("lastOffset", "int64", "0+"),
          list("acknowledgeTypes", "int8", "0+"),
        ]),
      ]),
    ]),
    structs("forgottenTopicsData", "ForgottenTopic", "0+", [
      field("topicId", "uuid", "0+"),
      list("partitions", "int32", "0+"),
    ]),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "0+"),
    field("errorMessage", "string", "0+", { nullable: "0+", default: null }),
    field("acquisitionLockTimeoutMs", "int32", "1+"),
    structs("responses", "ShareFetchableTopicResponse", "0+", [
      field("topicId", "uuid", "0+"),
      structs("partitions", "PartitionData", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("errorCode", "int16", "0+"),
        field("errorMessage", "string", "0+", { nullable: "0+", default: null }),
        field("acknowledgeErrorCode", "int16", "0+"),
        field("acknowledgeErrorMessage", "string", "0+", { nullable: "0+", default: null }),
        struct("currentLeader", "LeaderIdAndEpoch", "0+", [
          field("leaderId", "int32", "0+"),
          field("leaderEpoch", "int32", "0+"),
        ]),
        field("records", "records", "0+", { nullable: "0" }),
        structs("acquiredRecords", "AcquiredRecords", "0+", [
          field("firstOffset", "int64", "0+"),
          field("lastOffset", "int64", "0+"),
          field("deliveryCount", "int16", "0+"),
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
