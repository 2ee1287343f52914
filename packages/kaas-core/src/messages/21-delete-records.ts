import { api, type ApiSchema, field, structs } from "./schema.js";

/**
 * DeleteRecords (key 21): deletes records below an offset (KIP-107).
 *
 * - v1: throttled clients wait by themselves (KIP-219)
 */
export const deleteRecordsApi: ApiSchema = api(21, "DeleteRecords", "0-2", "2+", {
  request: [
    structs("topics", "DeleteRecordsTopic", "0+", [
      field("name", "string", "0+"),
      structs("partitions", "DeleteRecordsPartition", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("offset", "int64", "0+"),
      ]),
    ]),
    field("timeoutMs", "int32", "0+"),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    structs("topics", "DeleteRecordsTopicResult", "0+", [
      field("name", "string", "0+"),
      structs("partitions", "DeleteRecordsPartitionResult", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("lowWatermark", "int64", "0+"),
        field("errorCode", "int16", "0+"),
      ]),
    ]),
  ],
});
