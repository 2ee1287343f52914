import { resourceDefinitions } from "../resources.js";
import { type StructuralSchema, structuralSchemaOf } from "./structural-schema.js";

/** The schema of the values of a chart, as far as it is looked at. */
export interface ValuesSchema {
  readonly properties: {
    readonly listeners: { readonly items: { readonly properties: Readonly<Record<string, unknown>> } };
  };
}

/** Where a KafkaCluster says how a listener is reached from outside. */
const CONFIGURATION = ["properties", "spec", "properties", "listeners", "items", "properties", "configuration"];

/**
 * The schema of a chart's values with what a listener's `configuration` may be: what the KafkaCluster takes, but that a
 * name that is not there is refused. The API server would drop it without a word.
 */
export function withListenerConfiguration<T extends ValuesSchema>(values: T): T {
  const whole = structuralSchemaOf(resourceDefinitions.KafkaCluster);
  const found = CONFIGURATION.reduce<unknown>((schema, key) => (schema as StructuralSchema)[key], whole);
  const { listeners } = values.properties;
  const properties = { ...listeners.items.properties, configuration: closed(found) };
  const changed = { ...listeners, items: { ...listeners.items, properties } };
  return { ...values, properties: { ...values.properties, listeners: changed } };
}

/** Without what is for the API server alone, and with no further names where names are listed. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => !key.startsWith("x-") && value !== "int64");
  const fields = Object.fromEntries(kept.map(([key, value]) => [key, closed(value)]));
  return "properties" in fields ? { ...fields, additionalProperties: false } : fields;
}
