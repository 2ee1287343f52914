import { api, type ApiSchema, field } from "./schema.js";

/** UnregisterBroker (key 64): takes a broker out of the cluster's list. */
export const unregisterBrokerApi: ApiSchema = api(64, "UnregisterBroker", "0", "0+", {
  request: [field("brokerId", "int32", "0+")],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "0+"),
    field("errorMessage", "string", "0+", { nullable: "0+" }),
  ],
});
