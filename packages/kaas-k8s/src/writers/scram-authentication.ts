import type { ScramAlteration, ScramCredential, ScramMechanism } from "@kaas/core";
import type { KafkaUserAuthentication, KafkaUserScramCredential } from "@kaas/operator-api";

const MECHANISMS: Readonly<Record<ScramMechanism, KafkaUserScramCredential["mechanism"]>> = {
  "SCRAM-SHA-256": "scram-sha-256",
  "SCRAM-SHA-512": "scram-sha-512",
};

export type ScramChange =
  /** What `spec.authentication` becomes; null takes it away. */
  | { readonly authentication: KafkaUserAuthentication | null }
  | { readonly refusal: string }
  /** It is so already. */
  | "none";

/** What becomes of a KafkaUser's authentication when its SCRAM credentials are altered. */
export function alteredAuthentication(
  present: KafkaUserAuthentication | undefined,
  { user, upserts, deletions }: ScramAlteration,
): ScramChange {
  if (present?.type === "tls" || present?.type === "tls-external") {
    return { refusal: `KafkaUser ${user} logs in by certificate (${present.type}), not by password` };
  }
  const added = [...upserts].map(([mechanism, credential]) => credentialOf(mechanism, credential));
  const dropped = new Set([...deletions].map((mechanism) => MECHANISMS[mechanism]));
  const replaced = new Set(added.map(({ mechanism }) => mechanism));
  if (present !== undefined && present.scramCredentials === undefined) {
    // Its password is in a Secret, and its keys are made from that.
    const { type } = present;
    if (replaced.size > 0 && !replaced.has(type) && !dropped.has(type)) {
      return {
        refusal: `KafkaUser ${user} has a password for ${type} in a Secret; replace or delete that one as well`,
      };
    }
    if (replaced.size === 0 && !dropped.has(type)) return "none";
  }
  const kept = (present?.scramCredentials ?? []).filter(
    ({ mechanism }) => !replaced.has(mechanism) && !dropped.has(mechanism),
  );
  const credentials = [...kept, ...added];
  const [first] = credentials;
  if (first === undefined) return present === undefined ? "none" : { authentication: null };
  const strongest = credentials.find(({ mechanism }) => mechanism === "scram-sha-512") ?? first;
  return { authentication: { type: strongest.mechanism, scramCredentials: credentials } };
}

function credentialOf(
  mechanism: ScramMechanism,
  { iterations, salt, storedKey, serverKey }: ScramCredential,
): KafkaUserScramCredential {
  return {
    mechanism: MECHANISMS[mechanism],
    iterations,
    salt: base64(salt),
    storedKey: base64(storedKey),
    serverKey: base64(serverKey),
  };
}

/** What comes from another thread is a Uint8Array. */
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
