import { api, type ApiSchema, field } from "./schema.js";

/** RenewDelegationToken (key 39). */
export const renewDelegationTokenApi: ApiSchema = api(39, "RenewDelegationToken", "0-2", "2+", {
  request: [field("hmac", "bytes", "0+"), field("renewPeriodMs", "int64", "0+")],
  response: [
    field("errorCode", "int16", "0+"),
    field("expiryTimestampMs", "int64", "0+"),
    field("throttleTimeMs", "int32", "0+"),
  ],
});
