import { api, type ApiSchema, field } from "./schema.js";

/**
 * AddOffsetsToTxn (key 25): adds a group's offsets to a transaction (KIP-98).
 *
 * - v1: throttled clients wait by themselves (KIP-219)
 * - v2: PRODUCER_FENCED (KIP-588)
 * - v4: TRANSACTION_ABORTABLE (KIP-890)
 */
export const addOffsetsToTxnApi: ApiSchema = api(25, "AddOffsetsToTxn", "0-4", "3+", {
  request: [
    field("transactionalId", "string", "0+"),
    field("producerId", "int64", "0+"),
    field("producerEpoch", "int16", "0+"),
    field("groupId", "string", "0+"),
  ],
  response: [field("throttleTimeMs", "int32", "0+"), field("errorCode", "int16", "0+")],
});
