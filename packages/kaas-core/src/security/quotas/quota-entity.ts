import type { QuotaEntity, QuotaKey } from "../../ports/credentials.js";
import { isAddress } from "../plain-host.js";

/** Kafka's names of what a quota can be for. */
export type QuotaEntityType = "user" | "client-id" | "ip";

/** Part of an entity as the wire has it; null is the default. */
export interface EntityPart {
  readonly entityType: string;
  readonly entityName: string | null;
}

const FIELDS: Readonly<Record<QuotaEntityType, keyof QuotaEntity>> = {
  user: "user",
  "client-id": "clientId",
  ip: "ip",
};

type QuotaType = "long" | "int" | "double";

const TYPES: Readonly<Record<QuotaKey, QuotaType>> = {
  producer_byte_rate: "long",
  consumer_byte_rate: "long",
  request_percentage: "double",
  controller_mutation_rate: "double",
  connection_creation_rate: "int",
};

const INT_MAX = 0x7fff_ffff;
/** How far from a whole number a value may be that must be one. */
const FRACTION_MAX = 1e-6;

export function isQuotaEntityType(text: string): text is QuotaEntityType {
  return Object.hasOwn(FIELDS, text);
}

export function isQuotaKey(text: string): text is QuotaKey {
  return Object.hasOwn(TYPES, text);
}

/** An entity of parts that were found to be sound. */
export function entityOf(parts: readonly EntityPart[]): QuotaEntity {
  return Object.fromEntries(
    parts.map(({ entityType, entityName }) => [FIELDS[entityType as QuotaEntityType], entityName]),
  ) as QuotaEntity;
}

/** The parts of an entity. */
export function partsOf(entity: QuotaEntity): EntityPart[] {
  return Object.entries(FIELDS).flatMap(([entityType, field]) => {
    const entityName = entity[field];
    return entityName === undefined ? [] : [{ entityType, entityName }];
  });
}

/** What is wrong with an entity, as Kafka says it. */
export function entityProblem(parts: readonly EntityPart[]): string | undefined {
  if (parts.length === 0) return "Invalid empty client quota entity";
  const types = new Set<string>();
  for (const { entityType, entityName } of parts) {
    if (types.has(entityType)) return `Invalid client quota entity, duplicate entity entry ${entityType}`;
    if (!isQuotaEntityType(entityType)) return `Unhandled client quota entity type: ${entityType}`;
    if (entityName === "") return `Empty ${entityType} not supported`;
    if (entityType === "ip" && entityName !== null && !isAddress(entityName)) return `${entityName} is not a valid IP`;
    types.add(entityType);
  }
  if (types.has("ip") && types.size > 1) {
    return "Invalid quota entity combination, IP entity should not be used with user/client ID entity.";
  }
  return undefined;
}

/** What is wrong with a limit of an entity, as Kafka says it. */
export function limitProblem(parts: readonly EntityPart[], key: string, value: number): string | undefined {
  const isOfAddress = parts.some(({ entityType }) => entityType === "ip");
  const isKnown = (key === "connection_creation_rate") === isOfAddress;
  if (!isKnown || !isQuotaKey(key)) return `Invalid configuration key ${key}`;
  if (!(value > 0)) return `Quota ${key} must be greater than 0`;
  const type = TYPES[key];
  if (type === "double") return undefined;
  const max = type === "int" ? INT_MAX : Number.MAX_SAFE_INTEGER;
  if (value > max) return `Proposed value for ${key} is too large for a${type === "int" ? "n INT" : " LONG"}.`;
  return Math.abs(value - Math.round(value)) > FRACTION_MAX ? `${key} cannot be a fractional value.` : undefined;
}

/** A limit as it is kept: a whole number where it must be one. */
export function keptLimit(key: QuotaKey, value: number): number {
  return TYPES[key] === "double" ? value : Math.round(value);
}
