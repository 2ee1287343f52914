import { type ClientQuota, deriveScramCredential, type Random, type ScramMechanism } from "@kaas/core";
import type { KafkaUserQuotas, KafkaUserScramCredential } from "@kaas/operator-api";
import { recordOf, type ScramRecord, type UserRecord } from "@kaas/storage";

/** How often a password is hashed. Kafka's own tools do it as often. */
export const SCRAM_ITERATIONS = 8_192;

/** As many as a UUID has. */
const SALT_BYTES = 16;

export const SCRAM_MECHANISMS: Readonly<Record<KafkaUserScramCredential["mechanism"], ScramMechanism>> = {
  "scram-sha-256": "SCRAM-SHA-256",
  "scram-sha-512": "SCRAM-SHA-512",
};

/** As many random bytes. */
export function secretBytes(random: Random, count: number): Buffer {
  const parts: Buffer[] = [];
  for (let bytes = 0; bytes < count; bytes += SALT_BYTES) parts.push(Buffer.from(random.uuid(), "base64url"));
  return Buffer.concat(parts).subarray(0, count);
}

/** The keys of a password. Those that there are stay if they are of this password, so that nothing changes for nothing. */
export async function keysOfPassword(
  mechanism: ScramMechanism,
  password: string,
  before: ScramRecord | undefined,
  random: Random,
): Promise<UserRecord["scram"]> {
  if (before !== undefined && (await isOf(mechanism, password, before))) return { [mechanism]: before };
  const salt = secretBytes(random, SALT_BYTES);
  return { [mechanism]: recordOf(await deriveScramCredential(mechanism, password, salt, SCRAM_ITERATIONS)) };
}

/** Keys that a KafkaUser says itself. */
export function keysOfSpec(credentials: readonly KafkaUserScramCredential[]): UserRecord["scram"] {
  return Object.fromEntries(
    credentials.map(({ mechanism, iterations, salt, storedKey, serverKey }) => [
      SCRAM_MECHANISMS[mechanism],
      { salt, iterations, storedKey, serverKey },
    ]),
  );
}

/** A user's quotas by Kafka's names. */
export function quotaOf(username: string, quotas: KafkaUserQuotas | undefined): ClientQuota {
  const limits = {
    producer_byte_rate: quotas?.producerMaxByteRatePerBroker,
    consumer_byte_rate: quotas?.consumerMaxByteRatePerBroker,
    request_percentage: quotas?.requestPercentage,
    controller_mutation_rate: quotas?.controllerMutationRate,
  };
  const set = Object.entries(limits).filter(([, limit]) => limit !== undefined);
  return { entity: { user: username }, limits: Object.fromEntries(set) as ClientQuota["limits"] };
}

async function isOf(mechanism: ScramMechanism, password: string, record: ScramRecord): Promise<boolean> {
  const { salt, iterations, storedKey } = record;
  const derived = await deriveScramCredential(mechanism, password, Buffer.from(salt, "base64"), iterations);
  return derived.storedKey.equals(Buffer.from(storedKey, "base64"));
}
