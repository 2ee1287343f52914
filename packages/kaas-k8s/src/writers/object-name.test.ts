import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isObjectName, madeUpName, objectNameOf } from "./object-name.js";

const TOPIC = fc.stringMatching(/^[A-Za-z0-9._-]{1,249}$/);

describe("object names", () => {
  test.each(["orders", "a", "0", "orders.v2", "my-topic-7", "a".repeat(249)])("%s is kept", (name) => {
    expect(objectNameOf(name)).toBe(name);
  });

  test.each([
    ["Orders", /^orders--[0-9a-v]{26}$/],
    ["order_lines", /^order-lines--[0-9a-v]{26}$/],
    ["-", /^topic--[0-9a-v]{26}$/],
    ["_._", /^topic--[0-9a-v]{26}$/],
    ["a..b", /^a-b--[0-9a-v]{26}$/],
    ["trailing.", /^trailing--[0-9a-v]{26}$/],
    ["X".repeat(249), /^x{200}--[0-9a-v]{26}$/],
  ])("%s gets another one", (name, expected) => {
    expect(objectNameOf(name)).toMatch(expected);
  });

  test("is the same in every release: objects are found again by it", () => {
    expect(objectNameOf("Orders")).toMatchInlineSnapshot(`"orders--mvkapnai5pgp1b4lcumhdnvpgs"`);
  });

  test("a topic that is called as a made up name gets another one", () => {
    const madeUp = objectNameOf("Orders");
    expect(objectNameOf(madeUp)).not.toBe(madeUp);
    expect(objectNameOf(madeUp)).toBe(madeUpName(madeUp));
  });

  test("is always one that Kubernetes takes", () => {
    fc.assert(fc.property(TOPIC, (name) => isObjectName(objectNameOf(name)) && isObjectName(madeUpName(name))));
  });

  test("differs for different topics", () => {
    fc.assert(
      fc.property(TOPIC, TOPIC, (a, b) => {
        fc.pre(a !== b);
        return objectNameOf(a) !== objectNameOf(b) && madeUpName(a) !== objectNameOf(b);
      }),
    );
    // Names that read alike.
    const alike = ["a_b", "a-b", "A-b", "a.b", "A_b", "a__b", "a-b-", "-a-b"];
    expect(new Set(alike.map(objectNameOf)).size).toBe(alike.length);
  });
});
