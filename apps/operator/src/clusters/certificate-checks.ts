import { createPrivateKey, X509Certificate } from "node:crypto";
import { textOf } from "../kubernetes/secret-text.js";
import type { Secret } from "../kubernetes/resources.js";
import type { ClusterRun } from "./cluster-run.js";

const CERTIFICATE_KEY = "tls.crt";
const PRIVATE_KEY = "tls.key";
/** What brokers take of the Secret of their certificate. */
const KEYS: readonly string[] = [CERTIFICATE_KEY, PRIVATE_KEY];

/**
 * Notes in a run what keeps brokers from having a certificate. What cert-manager issues is not asked for here: its
 * Certificate says how far it is.
 *
 * @param secret the one that brokers have it from, where it is there
 */
export function noteCertificate(
  { object, refused, pending }: ClusterRun,
  secret: Secret | undefined,
  nowMs: number,
): void {
  const { certificate, certificateSecret, listeners } = object.spec;
  if (certificate !== undefined) return;
  if (certificateSecret === undefined) {
    for (const { name } of listeners.filter(({ tls }) => tls)) {
      const message = `listener ${name} has tls, and the brokers have no certificate: set spec.certificate or spec.certificateSecret`;
      if (!refused.has(name)) refused.set(name, { reason: "NoCertificate", message });
    }
    return;
  }
  pending.push(...problemsOf(certificateSecret, secret, nowMs));
}

function problemsOf(name: string, secret: Secret | undefined, nowMs: number): readonly string[] {
  const needed = `brokers do not start before it has their certificate, under ${KEYS.join(" and ")}`;
  if (secret === undefined) return [`there is no Secret ${name}: ${needed}`];
  const missing = KEYS.filter((key) => textOf(secret, key) === undefined);
  if (missing.length > 0) return [`Secret ${name} has nothing under ${missing.join(", ")}: ${needed}`];
  const certificate = readable(() => new X509Certificate(textOf(secret, CERTIFICATE_KEY) ?? ""));
  const key = readable(() => createPrivateKey(textOf(secret, PRIVATE_KEY) ?? ""));
  if (certificate === undefined) return [];
  if (key !== undefined && !certificate.checkPrivateKey(key)) {
    return [
      `the key in Secret ${name} does not belong to its certificate: brokers do not start with them, and those that run keep what they have; put both there anew`,
    ];
  }
  const endMs = Date.parse(certificate.validTo);
  if (nowMs < endMs) return [];
  const end = new Date(endMs).toISOString();
  return [`the certificate in Secret ${name} has run out on ${end}: clients do not accept it; put a new one there`];
}

/** Undefined for what cannot be read, such as a key with a password, or a kind that this Node does not know: brokers say so. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
