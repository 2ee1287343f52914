import { api, type ApiSchema, field, list } from "./schema.js";

/**
 * SaslHandshake (key 17): chooses a SASL mechanism, before authentication.
 *
 * - v0: tokens follow as bare frames
 * - v1: tokens follow in SaslAuthenticate (KIP-152)
 */
export const saslHandshakeApi: ApiSchema = api(17, "SaslHandshake", "0-1", "none", {
  request: [field("mechanism", "string", "0+")],
  response: [field("errorCode", "int16", "0+"), list("mechanisms", "string", "0+")],
});
