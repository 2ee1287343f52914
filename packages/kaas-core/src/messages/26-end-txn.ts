import { api, type ApiSchema, field } from "./schema.js";

/**
 * EndTxn (key 26): commits or aborts a transaction (KIP-98).
 *
 * - v1: throttled clients wait by themselves (KIP-219)
 * - v2: PRODUCER_FENCED (KIP-588)
 * - v4: TRANSACTION_ABORTABLE (KIP-890)
 * - v5: the producer's epoch rises with every transaction, and is answered (KIP-890)
 */
export const endTxnApi: ApiSchema = api(26, "EndTxn", "0-5", "3+", {
  request: [
    field("transactionalId", "string", "0+"),
    field("producerId", "int64", "0+"),
    field("producerEpoch", "int16", "0+"),
    field("committed", "bool", "0+"),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "0+"),
    field("producerId", "int64", "5+", { default: -1 }),
    field("producerEpoch", "int16", "5+", { default: -1 }),
  ],
});
