import { expect, test } from "vitest";
import { sourceFile } from "./fixtures.js";
import { checkPublicDocs } from "./public-docs.js";

const A = "packages/kaas-core/src/a.ts";
const index = (...lines: string[]) => sourceFile("packages/kaas-core/src/index.ts", ...lines);

test("what a package exports without a doc comment is named where it is declared", () => {
  const a = sourceFile(
    A,
    "/** Said. */",
    "export interface Said {}",
    "export type Unsaid = 1;",
    "// No doc comment.",
    "export const value = 1;",
    "export function call(): void {}",
    "export class Thing {}",
  );
  const lines = [
    'export { type Said, type Unsaid, value } from "./a.js";',
    'export { call as ask, Thing } from "./a.js";',
  ];
  expect(checkPublicDocs([a, index(...lines)])).toEqual([
    { file: A, line: 3, message: "Unsaid has no doc comment" },
    { file: A, line: 5, message: "value has no doc comment" },
    { file: A, line: 6, message: "call has no doc comment" },
    { file: A, line: 7, message: "Thing has no doc comment" },
  ]);
});

test("what stays in the package need not have any", () => {
  expect(checkPublicDocs([sourceFile(A, "export const inner = 1;"), index("")])).toEqual([]);
});

test("a value and its type need one between them", () => {
  const a = sourceFile(A, "/** Said. */", "export const Kind = { A: 0 } as const;", "export type Kind = 0;");
  expect(checkPublicDocs([a, index('export { Kind } from "./a.js";')])).toEqual([]);
});

test("what comes by way of another file is looked for there", () => {
  const b = sourceFile("packages/kaas-core/src/b/b.ts", "export const far = 1;");
  const a = sourceFile(A, 'export { far as near } from "./b/b.js";');
  expect(checkPublicDocs([a, b, index('export { near } from "./a.js";')])).toEqual([
    { file: "packages/kaas-core/src/b/b.ts", line: 1, message: "far has no doc comment" },
  ]);
});
