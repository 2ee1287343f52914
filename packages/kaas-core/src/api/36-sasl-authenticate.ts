/**
 * SaslAuthenticate (key 36), versions 0-2.
 *
 * Carries one message of a login (KIP-152).
 *
 * - v1: how long the session lasts until it must be renewed (KIP-368).
 *
 * A login that fails is answered late, in words that do not tell why, and the connection closed.
 */
import type { SaslAuthenticateRequest, SaslAuthenticateResponseInit } from "../messages/generated/index.js";
import { illegalState } from "../security/sasl/sasl-session.js";
import type { ApiHandler } from "./api-handler.js";

const EMPTY = Buffer.alloc(0);

export const saslAuthenticate: ApiHandler<SaslAuthenticateRequest, SaslAuthenticateResponseInit> = {
  key: 36,
  versionMin: 0,
  versionMax: 2,

  async handle({ connection }, request) {
    const answer = (await connection.sasl?.authenticate(request.authBytes)) ?? illegalState();
    const { errorCode, errorMessage, message, sessionLifetimeMs, closeReason } = answer;
    if (closeReason !== undefined) connection.refuseAfterAnswers(closeReason);
    return { errorCode, errorMessage, authBytes: message, sessionLifetimeMs };
  },

  fail(_request, errorCode) {
    return { errorCode, errorMessage: null, authBytes: EMPTY };
  },
};
