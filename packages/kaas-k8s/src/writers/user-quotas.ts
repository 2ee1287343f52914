import type { QuotaAlteration, QuotaKey } from "@kaas/core";
import type { KafkaUserQuotas } from "@kaas/operator-api";

/** What a KafkaUser calls Kafka's quotas; those that are missing here are not of a user. */
const FIELDS: ReadonlyMap<QuotaKey, keyof KafkaUserQuotas> = new Map<QuotaKey, keyof KafkaUserQuotas>([
  ["producer_byte_rate", "producerMaxByteRatePerBroker"],
  ["consumer_byte_rate", "consumerMaxByteRatePerBroker"],
  ["request_percentage", "requestPercentage"],
  ["controller_mutation_rate", "controllerMutationRate"],
]);

/** Fields that hold whole numbers only. */
const WHOLE: ReadonlySet<keyof KafkaUserQuotas> = new Set([
  "producerMaxByteRatePerBroker",
  "consumerMaxByteRatePerBroker",
]);

export type QuotaMerge =
  /** Limits by their fields; null takes one away. */
  | { readonly user: string; readonly quotas: Readonly<Partial<Record<keyof KafkaUserQuotas, number | null>>> }
  | { readonly refusal: string };

/** What a change of quotas is for a KafkaUser. */
export function quotaMerge({ entity, limits }: QuotaAlteration): QuotaMerge {
  const { user, clientId, ip } = entity;
  if (typeof user !== "string" || clientId !== undefined || ip !== undefined) {
    return {
      refusal: "quotas of this cluster are those of KafkaUsers: of one user, whatever its client id and address",
    };
  }
  const quotas: Partial<Record<keyof KafkaUserQuotas, number | null>> = {};
  for (const [key, value] of Object.entries(limits) as [QuotaKey, number | null][]) {
    const field = FIELDS.get(key);
    if (field === undefined) return { refusal: `a KafkaUser has no quota ${key}` };
    if (value !== null && WHOLE.has(field) && !Number.isInteger(value)) {
      return { refusal: `${key} of a KafkaUser is a whole number, not ${value}` };
    }
    quotas[field] = value;
  }
  return { user, quotas };
}
