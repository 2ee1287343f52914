import { expect, test } from "vitest";
import { checkDeterminism } from "./determinism.js";
import { sourceFile } from "./fixtures.js";

const check = (path: string, ...lines: string[]) => checkDeterminism([sourceFile(path, ...lines)]);
const inCore = (...lines: string[]) => check("packages/kaas-core/src/groups/group.ts", ...lines);

test.each([
  "const now = Date.now();",
  "const now = Date.now;",
  "const now = new Date();",
  "const now = performance.now();",
  "setTimeout(run, 5);",
  "globalThis.setTimeout(run, 5);",
  "const later = setImmediate;",
  "const chance = Math.random();",
  'import { randomUUID } from "node:crypto";',
  'import { readFileSync } from "node:fs";',
  'import { readFileSync } from "fs";',
  'const fs = await import("node:fs/promises");',
  'import { createServer } from "node:net";',
])("%s is refused", (line) => {
  expect(inCore("", line).map(({ line: at }) => at)).toEqual([2]);
});

test.each([
  "const time = new Date(timestamp).toISOString();",
  "const time = clock.now();",
  "timers.setTimeout(run, 5);",
  "const timers = { setTimeout() {} };",
  'import { createHash } from "node:crypto";',
  'import type { Stats } from "node:fs";',
])("%s is fine", (line) => {
  expect(inCore(line)).toEqual([]);
});

test("an adapter may touch its own part of the world, and no other", () => {
  expect(check("packages/kaas-core/src/server/listener.ts", 'import { createServer } from "node:net";')).toEqual([]);
  expect(check("packages/kaas-core/src/server/listener.ts", "Date.now();")).toHaveLength(1);
});

test("tests may use what they need", () => {
  expect(check("packages/kaas-core/src/groups/group.test.ts", 'import { rmSync } from "node:fs";')).toEqual([]);
});
