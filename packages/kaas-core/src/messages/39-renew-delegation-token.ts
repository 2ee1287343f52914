import { api, type ApiSchema, field } from "./schema.js";

/**
 * RenewDelegationToken (key 39): prolongs a delegation token (KIP-48).
 *
 * - v1: throttled clients wait by themselves (KIP-219)
 */
export const renewDelegationTokenApi: ApiSchema = api(39, "RenewDelegationToken", "0-2", "2+", {
  request: [field("hmac", "bytes", "0+"), field("renewPeriodMs", "int64", "0+")],
  response: [
    field("errorCode", "int16", "0+"),
    field("expiryTimestampMs", "int64", "0+"),
    field("throttleTimeMs", "int32", "0+"),
  ],
});
