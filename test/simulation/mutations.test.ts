import { expect, test } from "vitest";
import { mutated, sourceOf } from "./bundle.js";
import { mutations } from "./mutations.js";

test.each(mutations)("$name: what it takes out is still there", (mutation) => {
  expect(mutated(mutation, sourceOf(mutation))).not.toBe(sourceOf(mutation));
});
