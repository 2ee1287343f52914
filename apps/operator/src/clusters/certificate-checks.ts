import { textOf } from "../kubernetes/secret-text.js";
import type { Secret } from "../kubernetes/resources.js";
import type { ClusterRun } from "./cluster-run.js";

/** What brokers take of the Secret of their certificate. */
const KEYS: readonly string[] = ["tls.crt", "tls.key"];

/**
 * Notes in a run what keeps brokers from having a certificate. What cert-manager issues is not asked for here: its
 * Certificate says how far it is.
 *
 * @param secret the one that brokers have it from, where it is there
 */
export function noteCertificate({ object, refused, pending }: ClusterRun, secret: Secret | undefined): void {
  const { certificate, certificateSecret, listeners } = object.spec;
  if (certificate !== undefined) return;
  if (certificateSecret === undefined) {
    for (const { name } of listeners.filter(({ tls }) => tls)) {
      const message = `listener ${name} has tls, and the brokers have no certificate: set spec.certificate or spec.certificateSecret`;
      if (!refused.has(name)) refused.set(name, { reason: "NoCertificate", message });
    }
    return;
  }
  const missing = KEYS.filter((key) => textOf(secret, key) === undefined);
  const needed = `brokers do not start before it has their certificate, under ${KEYS.join(" and ")}`;
  if (secret === undefined) pending.push(`there is no Secret ${certificateSecret}: ${needed}`);
  else if (missing.length > 0) {
    pending.push(`Secret ${certificateSecret} has nothing under ${missing.join(", ")}: ${needed}`);
  }
}
