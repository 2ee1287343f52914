import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { apiReport } from "./api-report.js";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kaas-api-report-"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

test("every exported name is there once, sorted, through re-exports, without comments", () => {
  writeFileSync(
    join(folder, "b.d.ts"),
    "/** Why. */\nexport declare const limit: number;\nexport declare const hidden: 1;\n",
  );
  writeFileSync(
    join(folder, "index.d.ts"),
    'export { limit } from "./b.js";\nexport declare function f(a: string): void;\nexport interface A {\n    /** What. */\n    a: 1;\n}\n',
  );
  expect(apiReport(join(folder, "index.d.ts"))).toBe(
    "interface A {\n    a: 1;\n}\n\nfunction f(a: string): void;\n\nconst limit: number;\n",
  );
});
