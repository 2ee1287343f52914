import { expect, test } from "vitest";
import { mutated, sourceOf } from "./bundle.js";
import { governedMutations } from "./governed/governed-mutations.js";
import { mutations } from "./mutations.js";

test.each([...mutations, ...governedMutations.map(({ mutation }) => mutation)])(
  "$name: what it takes out is still there",
  (mutation) => {
    expect(mutated(mutation, sourceOf(mutation))).not.toBe(sourceOf(mutation));
  },
);
