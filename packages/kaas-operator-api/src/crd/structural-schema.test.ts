import { describe, expect, test } from "vitest";
import * as z from "zod";
import { resourceDefinitions } from "../resources.js";
import { rule } from "../rule.js";
import { customResourceDefinitions } from "./custom-resource-definition.js";
import { type StructuralSchema, structuralSchemaOf } from "./structural-schema.js";

const definition = (spec: z.ZodType, rules = [rule("spec", "m", "true", () => true)]) => ({
  ...resourceDefinitions.KafkaTopic,
  schema: z.object({ spec }),
  rules,
  transitions: [],
});
const specOf = (spec: z.ZodType): StructuralSchema => {
  const root = structuralSchemaOf(definition(z.strictObject({ f: spec })));
  const { spec: node } = root["properties"] as { spec: StructuralSchema };
  return node["properties"] as StructuralSchema;
};

/** Every node of a schema, with where it is. */
function* nodes(node: StructuralSchema, path = ""): Generator<[string, StructuralSchema]> {
  yield [path, node];
  for (const [name, field] of Object.entries((node["properties"] ?? {}) as Record<string, StructuralSchema>)) {
    yield* nodes(field, `${path}.${name}`);
  }
  for (const key of ["items", "additionalProperties"]) {
    if (node[key] !== undefined) yield* nodes(node[key] as StructuralSchema, `${path}.${key}`);
  }
}

const schemas = customResourceDefinitions().map(({ spec, metadata }) => {
  const [version] = spec["versions"] as { schema: { openAPIV3Schema: StructuralSchema } }[];
  return [metadata.name, version?.schema.openAPIV3Schema ?? {}] as const;
});

describe.each(schemas)("%s", (_name, schema) => {
  test("every node has a type, or takes anything", () => {
    for (const [path, node] of nodes(schema)) {
      expect(node["type"] ?? node["x-kubernetes-preserve-unknown-fields"], path).toBeDefined();
    }
  });

  test("every field is explained", () => {
    for (const [path, node] of nodes(schema)) {
      if (/\.(items|additionalProperties)$|^$|\.metadata$/.test(path)) continue;
      expect(node["description"], path).toMatch(/\.$/);
    }
  });

  test("every list says how it is merged, and its keys are fields of its elements that are always there", () => {
    for (const [path, node] of nodes(schema)) {
      if (node["type"] !== "array") continue;
      const { "x-kubernetes-list-type": kind, "x-kubernetes-list-map-keys": keys, items } = node;
      expect(kind, path).toMatch(/^(map|set|atomic)$/);
      if (kind !== "map") continue;
      const required = (items as StructuralSchema)["required"];
      for (const key of keys as string[]) expect(required, path).toContain(key);
    }
  });

  test("no pattern looks ahead or behind, which the API server's expressions cannot", () => {
    for (const [path, node] of nodes(schema)) expect(node["pattern"] ?? "", path).not.toMatch(/\(\?[=!<]/);
  });
});

describe("translation", () => {
  test("numbers that count have no limits but those that somebody set", () => {
    expect(specOf(z.int().min(1))).toEqual({ f: { type: "integer", minimum: 1, format: "int64" } });
  });

  test("alternatives become anything", () => {
    expect(specOf(z.union([z.string(), z.number()]))).toEqual({ f: { "x-kubernetes-preserve-unknown-fields": true } });
  });

  test("what cannot be said is refused, not left out", () => {
    const either = z.discriminatedUnion("t", [z.object({ t: z.literal("a") }), z.object({ t: z.literal("b") })]);
    expect(() => specOf(either)).toThrow("spec.f: nothing is known of how to say oneOf");
  });

  test("a rule about a field that is not there is refused", () => {
    const schema = definition(z.object({}), [rule("spec.nowhere", "m", "true", () => true)]);
    expect(() => structuralSchemaOf(schema)).toThrow("a rule is about spec.nowhere");
  });
});
