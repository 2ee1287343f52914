/** The functions of RFC 5802 that both sides of SCRAM compute, and what is kept of a password. */
import { createHash, createHmac, pbkdf2 } from "node:crypto";
import type { ScramCredential, ScramMechanism } from "../../ports/credentials.js";

/** Fewest iterations that are taken: RFC 7677 asks for as many. */
export const SCRAM_ITERATIONS_MIN = 4096;
/** Most iterations that are taken, as in Kafka: a client has to do them for each login. */
export const SCRAM_ITERATIONS_MAX = 16384;

interface ScramHash {
  readonly name: string;
  readonly bytes: number;
}

/** By mechanism, the name of its hash for node:crypto, and the length of what it makes. */
export const SCRAM_HASHES: Readonly<Record<ScramMechanism, ScramHash>> = {
  "SCRAM-SHA-256": { name: "sha256", bytes: 32 },
  "SCRAM-SHA-512": { name: "sha512", bytes: 64 },
};

/** The SCRAM mechanisms, the shorter hash first. */
export const SCRAM_MECHANISMS: readonly ScramMechanism[] = ["SCRAM-SHA-256", "SCRAM-SHA-512"];

/** HMAC with the hash of a mechanism. */
export function scramHmac(mechanism: ScramMechanism, key: Buffer, text: Buffer | string): Buffer {
  return createHmac(SCRAM_HASHES[mechanism].name, key).update(text).digest();
}

/** The hash of a mechanism: makes the stored key of a client key. */
export function scramHash(mechanism: ScramMechanism, bytes: Buffer): Buffer {
  return createHash(SCRAM_HASHES[mechanism].name).update(bytes).digest();
}

/** What is stretched from a password; on the thread pool, since it takes milliseconds. */
export function saltedPassword(
  mechanism: ScramMechanism,
  password: string,
  salt: Buffer,
  iterations: number,
): Promise<Buffer> {
  const { name, bytes } = SCRAM_HASHES[mechanism];
  return new Promise((resolve, reject) => {
    // Kafka's clients take a password as it is too: no SASLprep.
    pbkdf2(Buffer.from(password), salt, iterations, bytes, name, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

/** What is kept of a salted password, such as an admin client sends it. */
export function credentialOfSalted(
  mechanism: ScramMechanism,
  salted: Buffer,
  salt: Buffer,
  iterations: number,
): ScramCredential {
  const clientKey = scramHmac(mechanism, salted, "Client Key");
  return {
    salt,
    iterations,
    storedKey: scramHash(mechanism, clientKey),
    serverKey: scramHmac(mechanism, salted, "Server Key"),
  };
}

/**
 * What is kept of a password.
 *
 * @param salt random bytes, never used for another password
 * @param iterations {@link SCRAM_ITERATIONS_MIN} to {@link SCRAM_ITERATIONS_MAX}
 */
export async function deriveScramCredential(
  mechanism: ScramMechanism,
  password: string,
  salt: Buffer,
  iterations: number,
): Promise<ScramCredential> {
  return credentialOfSalted(mechanism, await saltedPassword(mechanism, password, salt, iterations), salt, iterations);
}
