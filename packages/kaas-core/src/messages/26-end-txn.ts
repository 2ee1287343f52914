import { api, type ApiSchema, field } from "./schema.js";

/** EndTxn (key 26). */
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
