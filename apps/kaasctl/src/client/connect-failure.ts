/** What to say of a connection that does not come about, by Node's code for why. */
const FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused; does a broker listen there?",
  ENOTFOUND: "there is no host of that name",
  EAI_AGAIN: "the name of the host cannot be looked up now",
  EHOSTUNREACH: "there is no way to that host",
  ENETUNREACH: "there is no way to that network",
  ETIMEDOUT: "nothing answers there",
  ECONNRESET: "the connection was reset",
  CERT_HAS_EXPIRED: "the broker's certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "the broker's certificate is for other names; call it by one of them, or set ssl.endpoint.identification.algorithm to nothing",
};
const UNTRUSTED: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);
const UNTRUSTED_ADVICE =
  "the broker's certificate comes from nobody who is trusted; name its authority with ssl.truststore.location in --command-config";

/** Says in one line what went wrong with a connection, and what to do. */
export function describeFailure(error: Error, isEncrypted: boolean): string {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (UNTRUSTED.has(code)) return UNTRUSTED_ADVICE;
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER" || code === "ERR_SSL_PACKET_LENGTH_TOO_LONG") {
    return "it does not speak TLS; is it another listener, or security.protocol=PLAINTEXT or SASL_PLAINTEXT?";
  }
  if (/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|ALERT_(?:BAD|UNKNOWN|CERTIFICATE)/.test(code)) {
    return `it does not take the certificate of this client, or misses it (${code}); see ssl.keystore.location`;
  }
  if (code === "ECONNRESET" && isEncrypted) {
    return "the connection was reset in the handshake of TLS; is it a listener without TLS?";
  }
  return FAILURES[code] ?? error.message;
}
