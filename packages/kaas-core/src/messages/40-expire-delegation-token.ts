import { api, type ApiSchema, field } from "./schema.js";

/**
 * ExpireDelegationToken (key 40): shortens a delegation token's life, or ends it (KIP-48).
 *
 * - v1: throttled clients wait by themselves (KIP-219)
 */
export const expireDelegationTokenApi: ApiSchema = api(40, "ExpireDelegationToken", "0-2", "2+", {
  request: [field("hmac", "bytes", "0+"), field("expiryTimePeriodMs", "int64", "0+")],
  response: [
    field("errorCode", "int16", "0+"),
    field("expiryTimestampMs", "int64", "0+"),
    field("throttleTimeMs", "int32", "0+"),
  ],
});
