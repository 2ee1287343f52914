import { expect, test } from "vitest";
import { fillSections, table } from "./section.js";

const document = "before\n<!-- generated: a, by npm run book -->\nold\n<!-- end -->\nafter\n";

test("only what is between the markers is replaced, and again in the same way", () => {
  const filled = fillSections(document, { a: "new\n" });
  expect(filled).toBe("before\n<!-- generated: a, by npm run book -->\nnew\n<!-- end -->\nafter\n");
  expect(fillSections(filled, { a: "new\n" })).toBe(filled);
});

test("a section that nothing generates is an error", () => {
  expect(() => fillSections(document, {})).toThrow("the section a");
});

test("bars in cells do not end them", () => {
  expect(table(["a", "b"], [["1|2", "3"]])).toBe("| a | b |\n| --- | --- |\n| 1\\|2 | 3 |\n");
});
