import { api, type ApiSchema, field } from "./schema.js";

/**
 * SaslAuthenticate (key 36): carries one message of a SASL exchange (KIP-152).
 *
 * - v1: how long the session lasts until it must be renewed (KIP-368)
 */
export const saslAuthenticateApi: ApiSchema = api(36, "SaslAuthenticate", "0-2", "2+", {
  request: [field("authBytes", "bytes", "0+")],
  response: [
    field("errorCode", "int16", "0+"),
    field("errorMessage", "string", "0+", { nullable: "0+" }),
    field("authBytes", "bytes", "0+"),
    field("sessionLifetimeMs", "int64", "1+"),
  ],
});
