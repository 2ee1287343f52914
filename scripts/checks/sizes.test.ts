import { expect, test } from "vitest";
import { sourceFile } from "./fixtures.js";
import { checkSizes, measure, tighten } from "./sizes.js";

const lines = (count: number): string[] => Array.from({ length: count }, () => "x;");
const file = (count: number) => sourceFile("src/a.ts", ...lines(count));
const withFunction = (count: number) => sourceFile("src/a.ts", "export function f() {", ...lines(count - 2), "}");

test("what fits is not measured", () => {
  expect(measure([file(400), withFunction(60)])).toEqual([]);
});

test("a file over the limit must be accepted, and may then not grow", () => {
  const sizes = measure([file(450)]);
  expect(checkSizes(sizes, {})).toHaveLength(1);
  expect(checkSizes(sizes, { "src/a.ts": 450 })).toEqual([]);
  expect(checkSizes(sizes, { "src/a.ts": 449 })[0]?.message).toBe("grew from 449 to 450 lines");
});

test("functions are measured by name, methods and arrows too", () => {
  const arrow = sourceFile("src/b.ts", "const g = () => {", ...lines(70), "};");
  const method = sourceFile("src/c.ts", "class C {", "m() {", ...lines(70), "}", "}");
  expect(measure([withFunction(61), arrow, method]).map(({ key, lines: count }) => [key, count])).toEqual([
    ["src/a.ts#f", 61],
    ["src/b.ts#g", 72],
    ["src/c.ts#m", 72],
  ]);
});

test("nothing accepts what is far too large", () => {
  expect(checkSizes(measure([file(601)]), { "src/a.ts": 601 })).toHaveLength(1);
  expect(checkSizes(measure([withFunction(121)]), { "src/a.ts#f": 121 })).toHaveLength(1);
});

test("functions of tests are left alone", () => {
  expect(measure([sourceFile("src/a.test.ts", "test(() => {", ...lines(100), "});")])).toEqual([]);
});

test("tightening lowers and drops, and never adds", () => {
  expect(
    tighten(measure([file(450), sourceFile("src/b.ts", ...lines(500))]), { "src/a.ts": 480, "src/c.ts": 410 }),
  ).toEqual({
    "src/a.ts": 450,
  });
});
