import { expect, test } from "vitest";
import { stateOf } from "./assignment-changes.js";

test("a broker's state says why it leads nothing, a volume that does not answer it first", () => {
  expect(stateOf({ isAlive: true, isFenced: false })).toBe("alive");
  expect(stateOf({ isAlive: true, isFenced: true })).toBe("drained");
  expect(stateOf({ isAlive: false, isFenced: true })).toBe("lost");
  expect(stateOf({ isAlive: false, isFenced: true, isStalled: true })).toBe("stalled");
  expect(stateOf({ isAlive: true, isFenced: false, isStalled: true })).toBe("stalled");
});
