import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { classBytes, POOLED_BYTES_MAX, SIZE_CLASSES, sizeClassOf } from "./size-classes.js";

test("classes ascend, and the last holds the largest pooled buffer", () => {
  for (let sizeClass = 1; sizeClass < SIZE_CLASSES; sizeClass++) {
    expect(classBytes(sizeClass)).toBeGreaterThan(classBytes(sizeClass - 1));
  }
  expect(classBytes(SIZE_CLASSES - 1)).toBe(POOLED_BYTES_MAX);
});

test.prop([fc.integer({ min: 1, max: POOLED_BYTES_MAX })])("the smallest class that holds so many bytes", (bytes) => {
  const sizeClass = sizeClassOf(bytes);
  expect(classBytes(sizeClass)).toBeGreaterThanOrEqual(bytes);
  if (sizeClass > 0) expect(classBytes(sizeClass - 1)).toBeLessThan(bytes);
});

test("every class holds exactly its own size", () => {
  for (let sizeClass = 0; sizeClass < SIZE_CLASSES; sizeClass++)
    expect(sizeClassOf(classBytes(sizeClass))).toBe(sizeClass);
});
