import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * ListTransactions (key 66): lists the transactions that a broker coordinates (KIP-664).
 *
 * - v1: only those open for some time (KIP-994)
 * - v2: only those whose id matches a pattern (KIP-1152)
 */
export const listTransactionsApi: ApiSchema = api(66, "ListTransactions", "0-2", "0+", {
  request: [
    list("stateFilters", "string", "0+"),
    list("producerIdFilters", "int64", "0+"),
    field("durationFilter", "int64", "1+", { default: -1 }),
    field("transactionalIdPattern", "string", "2+", { nullable: "2+", default: null }),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "0+"),
    list("unknownStateFilters", "string", "0+"),
    structs("transactionStates", "TransactionState", "0+", [
      field("transactionalId", "string", "0+"),
      field("producerId", "int64", "0+"),
      field("transactionState", "string", "0+"),
    ]),
  ],
});
