import { expect, test } from "vitest";
import { coverageFalls, coverageGains, raiseFloors, sumByPackage } from "./coverage.js";

const counts = (covered: number, total: number) => ({ lines: { total, covered }, branches: { total, covered } });
const at = (value: number) => ({ "packages/core": { lines: value, branches: value } });

test("files are summed by package; the grand total is left out", () => {
  const summary = {
    total: counts(1, 1000),
    "/repo/packages/core/src/a.ts": counts(50, 100),
    "/repo/packages/core/src/b.ts": counts(100, 100),
    "/repo/apps/broker/src/a.ts": counts(1, 3),
  };
  expect(sumByPackage(summary, "/repo/")).toEqual({
    "packages/core": { lines: 75, branches: 75 },
    "apps/broker": { lines: 33.3, branches: 33.3 },
  });
});

test("a fall is refused, a wobble is not", () => {
  expect(coverageFalls(at(89.6), at(90))).toEqual([]);
  expect(coverageFalls(at(89), at(90))).toHaveLength(2);
});

test("a gain is pointed out, and is no fall", () => {
  expect(coverageGains(at(92), at(90))).toEqual([]);
  expect(coverageGains(at(94), at(90))).toHaveLength(2);
  expect(coverageFalls(at(94), at(90))).toEqual([]);
});

test("a package without a floor is refused", () => {
  expect(coverageFalls(at(90), {})).toHaveLength(1);
});

test("floors go up only", () => {
  expect(raiseFloors(at(80), at(90))).toEqual(at(90));
  expect(raiseFloors(at(95), at(90))).toEqual(at(95));
});
