/** The messages of a SCRAM client (RFC 5802, section 7), parsed strictly. */

/** The first message of a client. */
export interface ClientFirstMessage {
  /** Without channel binding: `n,,` or `n,a=name,`. The last message must repeat it. */
  readonly gs2Header: string;
  /** Whom the client wants to act as; empty for the user itself. */
  readonly authorizationId: string;
  readonly user: string;
  readonly nonce: string;
  /** What goes into the signatures. */
  readonly bare: string;
}

/** The last message of a client. */
export interface ClientFinalMessage {
  readonly channelBinding: string;
  readonly nonce: string;
  readonly proof: Buffer;
  /** What goes into the signatures. */
  readonly withoutProof: string;
}

/** Longest message that is looked at; names and nonces are far shorter. */
const MESSAGE_BYTES_MAX = 8 * 1024;
/** `saslname`: anything but NUL, `,` and `=`, which are written as `=2C` and `=3D`. */
const NAME = "(?:[^\\0,=]|=2C|=3D)+";
/** Printable ASCII without the comma. */
const PRINTABLE = "[\\x21-\\x2b\\x2d-\\x7e]+";
const BASE64 = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?";

const CLIENT_FIRST = new RegExp(
  `^(?<gs2>n,(?:a=(?<authorizationId>${NAME}))?,)(?<bare>n=(?<user>${NAME}),r=(?<nonce>${PRINTABLE})(?<extensions>(?:,.*)?))$`,
  "s",
);
const CLIENT_FINAL = new RegExp(
  `^(?<withoutProof>c=(?<binding>${BASE64}),r=(?<nonce>${PRINTABLE})),p=(?<proof>${BASE64})$`,
);

/**
 * Reads a client's first message. A text says what is wrong with it: channel binding (`p=…`) is not offered, mandatory
 * extensions (`m=…`) must be refused, and delegation tokens (`tokenauth=true`) are not served.
 */
export function parseClientFirst(token: Buffer): ClientFirstMessage | string {
  const text = textOf(token);
  if (text === undefined) return "the first SCRAM message is no text, or too long";
  if (/^(?:p=|y,)/.test(text)) return "channel binding is not offered";
  const groups = CLIENT_FIRST.exec(text)?.groups;
  if (groups === undefined) return "the first SCRAM message is malformed";
  const { gs2 = "", authorizationId = "", bare = "", user = "", nonce = "", extensions = "" } = groups;
  if (/(?:^|,)tokenauth=/i.test(extensions)) return "delegation tokens are not served";
  return { gs2Header: gs2, authorizationId: unescaped(authorizationId), user: unescaped(user), nonce, bare };
}

/** Reads a client's last message; a text says what is wrong with it. */
export function parseClientFinal(token: Buffer): ClientFinalMessage | string {
  const text = textOf(token);
  const groups = text === undefined ? undefined : CLIENT_FINAL.exec(text)?.groups;
  if (groups === undefined) return "the last SCRAM message is malformed";
  const { withoutProof = "", binding = "", nonce = "", proof = "" } = groups;
  return { channelBinding: binding, nonce, proof: Buffer.from(proof, "base64"), withoutProof };
}

function textOf(token: Buffer): string | undefined {
  if (token.length > MESSAGE_BYTES_MAX) return undefined;
  const text = token.toString("utf8");
  return Buffer.from(text).equals(token) ? text : undefined;
}

function unescaped(name: string): string {
  return name.replaceAll("=2C", ",").replaceAll("=3D", "=");
}
