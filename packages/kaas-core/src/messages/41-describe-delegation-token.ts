import { api, type ApiSchema, field, structs } from "./schema.js";

/**
 * DescribeDelegationToken (key 41): lists delegation tokens (KIP-48).
 *
 * - v1: throttled clients wait by themselves (KIP-219)
 * - v3: who requested each token (KIP-373)
 */
export const describeDelegationTokenApi: ApiSchema = api(41, "DescribeDelegationToken", "0-3", "2+", {
  request: [
    structs(
      "owners",
      "DescribeDelegationTokenOwner",
      "0+",
      [field("principalType", "string", "0+"), field("principalName", "string", "0+")],
      { nullable: "0+" },
    ),
  ],
  response: [
    field("errorCode", "int16", "0+"),
    structs("tokens", "DescribedDelegationToken", "0+", [
      field("principalType", "string", "0+"),
      field("principalName", "string", "0+"),
      field("tokenRequesterPrincipalType", "string", "3+"),
      field("tokenRequesterPrincipalName", "string", "3+"),
      field("issueTimestamp", "int64", "0+"),
      field("expiryTimestamp", "int64", "0+"),
      field("maxTimestamp", "int64", "0+"),
      field("tokenId", "string", "0+"),
      field("hmac", "bytes", "0+"),
      structs("renewers", "DescribedDelegationTokenRenewer", "0+", [
        field("principalType", "string", "0+"),
        field("principalName", "string", "0+"),
      ]),
    ]),
    field("throttleTimeMs", "int32", "0+"),
  ],
});
