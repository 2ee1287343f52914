import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * AddPartitionsToTxn (key 24): adds partitions to a transaction (KIP-98).
 *
 * - v1: throttled clients wait by themselves (KIP-219)
 * - v2: PRODUCER_FENCED (KIP-588)
 * - v4: from brokers only: several transactions at once, and whether a partition is in one already (KIP-890)
 * - v5: TRANSACTION_ABORTABLE (KIP-890)
 */
export const addPartitionsToTxnApi: ApiSchema = api(24, "AddPartitionsToTxn", "0-5", "3+", {
  request: [
    structs("transactions", "AddPartitionsToTxnTransaction", "4+", [
      field("transactionalId", "string", "4+"),
      field("producerId", "int64", "4+"),
      field("producerEpoch", "int16", "4+"),
      field("verifyOnly", "bool", "4+"),
      structs("topics", "AddPartitionsToTxnTopic", "4+", [
        field("name", "string", "0+"),
        list("partitions", "int32", "0+"),
      ]),
    ]),
    field("v3AndBelowTransactionalId", "string", "0-3"),
    field("v3AndBelowProducerId", "int64", "0-3"),
    field("v3AndBelowProducerEpoch", "int16", "0-3"),
    structs("v3AndBelowTopics", "AddPartitionsToTxnTopic", "0-3", [
      field("name", "string", "0+"),
      list("partitions", "int32", "0+"),
    ]),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "4+"),
    structs("resultsByTransaction", "AddPartitionsToTxnResult", "4+", [
      field("transactionalId", "string", "4+"),
      structs("topicResults", "AddPartitionsToTxnTopicResult", "4+", [
        field("name", "string", "0+"),
        structs("resultsByPartition", "AddPartitionsToTxnPartitionResult", "0+", [
          field("partitionIndex", "int32", "0+"),
          field("partitionErrorCode", "int16", "0+"),
        ]),
      ]),
    ]),
    structs("resultsByTopicV3AndBelow", "AddPartitionsToTxnTopicResult", "0-3", [
      field("name", "string", "0+"),
      structs("resultsByPartition", "AddPartitionsToTxnPartitionResult", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("partitionErrorCode", "int16", "0+"),
      ]),
    ]),
  ],
});
