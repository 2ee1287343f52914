/** PEM, as people have it in configurations: on one line, with other text around it, with lines of any length. */

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g;
const KEY_LABELS: ReadonlySet<string> = new Set([
  "PRIVATE KEY",
  "ENCRYPTED PRIVATE KEY",
  "RSA PRIVATE KEY",
  "EC PRIVATE KEY",
]);
const CERTIFICATE_LABELS: ReadonlySet<string> = new Set(["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]);
const LINE_LENGTH = 64;

/** The certificates in a text, as PEM that OpenSSL reads; empty when there are none. */
export function certificatesOf(text: string): string {
  return blocksOf(text, CERTIFICATE_LABELS).join("");
}

/** The private keys in a text. */
export function privateKeysOf(text: string): readonly string[] {
  return blocksOf(text, KEY_LABELS);
}

function blocksOf(text: string, labels: ReadonlySet<string>): string[] {
  const blocks: string[] = [];
  for (const [whole, label = "", body = ""] of text.matchAll(BLOCK)) {
    // A body with headers, as old encrypted keys have, is left as it is.
    if (labels.has(label)) blocks.push(body.includes(":") ? `${whole}\n` : block(label, body));
  }
  return blocks;
}

function block(label: string, body: string): string {
  const base64 = body.replace(/\s+/g, "");
  const lines = base64.match(new RegExp(`.{1,${LINE_LENGTH}}`, "g")) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
