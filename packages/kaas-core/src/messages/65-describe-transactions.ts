import { api, type ApiSchema, field, list, structs } from "./schema.js";

/** DescribeTransactions (key 65): describes transactions (KIP-664). */
export const describeTransactionsApi: ApiSchema = api(65, "DescribeTransactions", "0", "0+", {
  request: [list("transactionalIds", "string", "0+")],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    structs("transactionStates", "TransactionState", "0+", [
      field("errorCode", "int16", "0+"),
      field("transactionalId", "string", "0+"),
      field("transactionState", "string", "0+"),
      field("transactionTimeoutMs", "int32", "0+"),
      field("transactionStartTimeMs", "int64", "0+"),
      field("producerId", "int64", "0+"),
      field("producerEpoch", "int16", "0+"),
      structs("topics", "TopicData", "0+", [field("topic", "string", "0+"), list("partitions", "int32", "0+")]),
    ]),
  ],
});
