import { api, type ApiSchema, field } from "./schema.js";

/** AddOffsetsToTxn (key 25). */
export const addOffsetsToTxnApi: ApiSchema = api(25, "AddOffsetsToTxn", "0-4", "3+", {
  request: [
    field("transactionalId", "string", "0+"),
    field("producerId", "int64", "0+"),
    field("producerEpoch", "int16", "0+"),
    field("groupId", "string", "0+"),
  ],
  response: [field("throttleTimeMs", "int32", "0+"), field("errorCode", "int16", "0+")],
});
