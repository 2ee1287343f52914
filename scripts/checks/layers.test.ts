import { expect, test } from "vitest";
import { sourceFile } from "./fixtures.js";
import { checkLayers, checkTestsStayTests } from "./layers.js";

const core = (...lines: string[]) => checkLayers([sourceFile("packages/kaas-core/src/api/a.ts", ...lines)]);
const storage = (...lines: string[]) => checkLayers([sourceFile("packages/kaas-storage/src/a.ts", ...lines)]);

test("a sibling downstream may be imported, by its front door", () => {
  expect(storage('import { a } from "@kaas/core";', 'import { b } from "@kaas/core/internal";')).toEqual([]);
});

test("a sibling upstream may not, in whatever way", () => {
  for (const line of [
    'import { a } from "@kaas/storage";',
    'import type { A } from "@kaas/storage";',
    'export { a } from "@kaas/storage";',
    'export * from "@kaas/storage";',
    'const a = await import("@kaas/storage");',
    'type A = import("@kaas/storage").A;',
  ]) {
    expect(core("", line), line).toEqual([
      { file: "packages/kaas-core/src/api/a.ts", line: 2, message: "packages/kaas-core must not import @kaas/storage" },
    ]);
  }
});

test("nobody reaches past an entry, by name or by path", () => {
  expect(storage('import { a } from "@kaas/core/dist/wire/reader.js";')).toHaveLength(1);
  expect(storage('import { a } from "../../kaas-core/src/index.js";')).toHaveLength(1);
  expect(core('import { a } from "../wire/reader.js";')).toEqual([]);
});

test("a package that the table does not know is refused", () => {
  expect(checkLayers([sourceFile("packages/new/src/a.ts", "")])).toHaveLength(1);
});

test("sources do not import tests", () => {
  const path = "packages/kaas-core/src/a.ts";
  expect(checkTestsStayTests([sourceFile(path, 'import { a } from "./b.test.js";')])).toHaveLength(1);
  expect(checkTestsStayTests([sourceFile(path, 'import { a } from "./b.js";')])).toEqual([]);
});
