import { api, type ApiSchema, field, structs } from "./schema.js";

/**
 * CreateDelegationToken (key 38): creates a delegation token (KIP-48).
 *
 * - v1: throttled clients wait by themselves (KIP-219)
 * - v3: for an owner other than the requester (KIP-373)
 */
export const createDelegationTokenApi: ApiSchema = api(38, "CreateDelegationToken", "0-3", "2+", {
  request: [
    field("ownerPrincipalType", "string", "3+", { nullable: "3+" }),
    field("ownerPrincipalName", "string", "3+", { nullable: "3+" }),
    structs("renewers", "CreatableRenewers", "0+", [
      field("principalType", "string", "0+"),
      field("principalName", "string", "0+"),
    ]),
    field("maxLifetimeMs", "int64", "0+"),
  ],
  response: [
    field("errorCode", "int16", "0+"),
    field("principalType", "string", "0+"),
    field("principalName", "string", "0+"),
    field("tokenRequesterPrincipalType", "string", "3+"),
    field("tokenRequesterPrincipalName", "string", "3+"),
    field("issueTimestampMs", "int64", "0+"),
    field("expiryTimestampMs", "int64", "0+"),
    field("maxTimestampMs", "int64", "0+"),
    field("tokenId", "string", "0+"),
    field("hmac", "bytes", "0+"),
    field("throttleTimeMs", "int32", "0+"),
  ],
});
