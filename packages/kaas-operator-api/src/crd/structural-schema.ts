/**
 * From JSON schema, as zod writes it, to what Kubernetes calls structural: types without alternatives, no references,
 * unknown fields dropped rather than refused.
 */
import * as z from "zod";
import type { ResourceDefinition } from "../resources.js";

/** A node of an OpenAPI v3 schema as Kubernetes takes it. */
export type StructuralSchema = Record<string, unknown>;

/** Fields that Kubernetes knows and that stay as they are. */
const KEPT = [
  "type",
  "description",
  "format",
  "default",
  "enum",
  "pattern",
  "minimum",
  "exclusiveMinimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "required",
  "nullable",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
] as const;

/** Fields whose meaning is lost without harm: unknown fields are dropped, and keys are text anyway. */
const DROPPED = new Set(["$schema", "additionalProperties", "propertyNames"]);

/** The schema of a kind, with its rules in CEL. */
export function structuralSchemaOf({ schema, rules, transitions, description }: ResourceDefinition): StructuralSchema {
  const whole = z.toJSONSchema(schema, { target: "openapi-3.0", io: "input" }) as StructuralSchema;
  const { properties, required } = whole as { properties: Record<string, StructuralSchema>; required: string[] };
  const { spec, status } = properties;
  const root: StructuralSchema = {
    type: "object",
    description,
    ...(required.includes("spec") ? { required: ["spec"] } : {}),
    properties: {
      apiVersion: { type: "string", description: "Group and version of this resource." },
      kind: { type: "string", description: "Kind of this resource." },
      metadata: { type: "object" },
      ...(spec === undefined ? {} : { spec: structural(spec, "spec") }),
      ...(status === undefined ? {} : { status: structural(status, "status") }),
    },
  };
  for (const { at, cel, message } of [...rules, ...transitions]) addRule(nodeAt(root, at), cel, message);
  return root;
}

function structural(node: StructuralSchema, path: string): StructuralSchema {
  const result: StructuralSchema = {};
  for (const key of KEPT) if (node[key] !== undefined) result[key] = node[key];
  dropUnlimited(result);
  for (const [key, value] of Object.entries(node)) {
    if (key === "properties") result["properties"] = structuralFields(value as Record<string, StructuralSchema>, path);
    else if (key === "items") result["items"] = structural(value as StructuralSchema, `${path}[]`);
    else if (key === "additionalProperties" && typeof value === "object") {
      result["additionalProperties"] = structural(value as StructuralSchema, `${path}{}`);
    } else if (key === "anyOf") result["x-kubernetes-preserve-unknown-fields"] = true;
    else if (!DROPPED.has(key) && !(KEPT as readonly string[]).includes(key)) {
      throw new TypeError(`${path}: nothing is known of how to say ${key} in a structural schema`);
    }
  }
  return result;
}

function structuralFields(fields: Record<string, StructuralSchema>, path: string): Record<string, StructuralSchema> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, structural(field, `${path}.${name}`)]),
  );
}

/** What JavaScript can count up to is no limit that anybody means. */
function dropUnlimited(node: StructuralSchema): void {
  if (node["maximum"] === Number.MAX_SAFE_INTEGER) delete node["maximum"];
  if (node["minimum"] === Number.MIN_SAFE_INTEGER) delete node["minimum"];
  if (node["type"] === "integer") node["format"] = "int64";
}

function nodeAt(root: StructuralSchema, at: readonly string[]): StructuralSchema {
  return at.reduce((node, part) => {
    const next = part === "*" ? node["items"] : (node["properties"] as Record<string, unknown> | undefined)?.[part];
    if (next === undefined) throw new TypeError(`a rule is about ${at.join(".")}, which the schema does not have`);
    return next as StructuralSchema;
  }, root);
}

function addRule(node: StructuralSchema, cel: string, message: string): void {
  const validations = (node["x-kubernetes-validations"] ?? []) as unknown[];
  node["x-kubernetes-validations"] = [...validations, { rule: cel, message }];
}
