/**
 * SaslHandshake (key 17), versions 0-1.
 *
 * A client chooses how it logs in (KIP-43).
 *
 * - v0: the messages of the login follow as frames of their own, without a header.
 * - v1: they follow as SaslAuthenticate (KIP-152).
 *
 * Once logged in, a client begins a renewal of its session with it (KIP-368). A mechanism that is not enabled is
 * answered with those that are, and the connection closed.
 */
import { ErrorCode } from "../errors/error-codes.js";
import type { SaslHandshakeRequest, SaslHandshakeResponseInit } from "../messages/generated/index.js";
import type { ApiHandler } from "./api-handler.js";

export const saslHandshake: ApiHandler<SaslHandshakeRequest, SaslHandshakeResponseInit> = {
  key: 17,
  versionMin: 0,
  versionMax: 1,

  async handle({ connection, apiVersion }, request) {
    const { sasl } = connection;
    if (sasl === undefined) return this.fail(request, ErrorCode.ILLEGAL_SASL_STATE);
    const { errorCode, mechanisms, closeReason } = await sasl.handshake(request.mechanism, apiVersion);
    if (closeReason !== undefined) connection.refuseAfterAnswers(closeReason);
    return { errorCode, mechanisms: [...mechanisms] };
  },

  fail(_request, errorCode) {
    return { errorCode, mechanisms: [] };
  },
};
