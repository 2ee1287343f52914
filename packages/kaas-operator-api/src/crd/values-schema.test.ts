import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { VALUES_SCHEMA } from "../generator/crd-folders.js";
import { type ValuesSchema, withListenerConfiguration } from "./values-schema.js";

const root = new URL("../../../../", import.meta.url);

test("the chart takes for a listener what a KafkaCluster takes; if not: npm run generate --workspace @kaas/operator-api", () => {
  const schema = JSON.parse(readFileSync(new URL(VALUES_SCHEMA, root), "utf8")) as ValuesSchema;
  expect(schema).toEqual(withListenerConfiguration(schema));
});

test("nothing of it is open", () => {
  const empty = { properties: { listeners: { items: { properties: { name: {} } } } } };
  const { properties } = withListenerConfiguration(empty).properties.listeners.items;
  expect(properties).toMatchObject({
    name: {},
    configuration: {
      type: "object",
      additionalProperties: false,
      properties: {
        gateway: { additionalProperties: false },
        annotations: { additionalProperties: { type: "string" } },
      },
    },
  });
  expect(JSON.stringify(properties)).not.toMatch(/x-kubernetes|int64/);
});
