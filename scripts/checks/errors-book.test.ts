import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { KaasErrorCode } from "../../packages/kaas-core/src/errors/kaas-error.js";

const book = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
const sections = book.split(/^## /m).slice(1);

test("the book explains every error code, in the order of the code, and no other", () => {
  expect(sections.map((section) => section.split("\n")[0])).toEqual(Object.keys(KaasErrorCode));
});

test("every section says when it happens and what to do", () => {
  for (const section of sections) {
    const [code] = section.split("\n");
    expect(section, code).toMatch(/^\*\*When:\*\* \S/m);
    expect(section, code).toMatch(/^\*\*What to do:\*\* \S/m);
  }
});
