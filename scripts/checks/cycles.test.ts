import { expect, test } from "vitest";
import { findCycles } from "./cycles.js";
import { sourceFile } from "./fixtures.js";

test("files that load one another are a cycle, told once", () => {
  const files = [
    sourceFile("src/a.ts", 'import { b } from "./b.js";'),
    sourceFile("src/b.ts", 'export * from "./deep/c.js";'),
    sourceFile("src/deep/c.ts", 'import { a } from "../a.js";'),
  ];
  expect(findCycles(files).map(({ message }) => message)).toEqual([
    "import cycle: src/a.ts → src/b.ts → src/deep/c.ts → src/a.ts",
  ]);
});

test("types may speak of each other", () => {
  const files = [
    sourceFile("src/a.ts", 'import { b } from "./b.js";'),
    sourceFile("src/b.ts", 'import type { A } from "./a.js";', 'import { type B } from "./a.js";'),
  ];
  expect(findCycles(files)).toEqual([]);
});

test("a diamond is no cycle", () => {
  const files = [
    sourceFile("src/a.ts", 'import "./b.js";', 'import "./c.js";'),
    sourceFile("src/b.ts", 'import "./d.js";'),
    sourceFile("src/c.ts", 'import "./d.js";'),
    sourceFile("src/d.ts", ""),
  ];
  expect(findCycles(files)).toEqual([]);
});
