import { api, type ApiSchema, field } from "./schema.js";

/**
 * InitProducerId (key 22): gives out producer ids, and fences older producers of the same transactional id (KIP-98).
 *
 * - v1: throttled clients wait by themselves (KIP-219)
 * - v3: a producer may name the id and epoch that it has, to go on after an error (KIP-360)
 * - v4: PRODUCER_FENCED (KIP-588)
 * - v5: TRANSACTION_ABORTABLE (KIP-890)
 * - v6: two-phase commit; unstable in 4.4 (KIP-939)
 */
export const initProducerIdApi: ApiSchema = api(22, "InitProducerId", "0-6", "2+", {
  request: [
    field("transactionalId", "string", "0+", { nullable: "0+" }),
    field("transactionTimeoutMs", "int32", "0+"),
    field("producerId", "int64", "3+", { default: -1 }),
    field("producerEpoch", "int16", "3+", { default: -1 }),
    field("enable2Pc", "bool", "6+"),
    field("keepPreparedTxn", "bool", "6+"),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "0+"),
    field("producerId", "int64", "0+", { default: -1 }),
    field("producerEpoch", "int16", "0+"),
    field("ongoingTxnProducerId", "int64", "6+", { default: -1 }),
    field("ongoingTxnProducerEpoch", "int16", "6+", { default: -1 }),
  ],
});
