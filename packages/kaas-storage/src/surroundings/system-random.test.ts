import { expect, test } from "vitest";
import { systemRandom } from "./system-random.js";

test("ids are 22 characters that no tool takes for an option, and differ", () => {
  const ids = Array.from({ length: 500 }, () => systemRandom.uuid());
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]{21}$/);
  expect(new Set(ids).size).toBe(ids.length);
});

test("integers lie below their limit and reach every value", () => {
  const seen = new Set(Array.from({ length: 200 }, () => systemRandom.integer(3)));
  expect(seen).toEqual(new Set([0, 1, 2]));
});
