import { expect, test } from "vitest";
import { LeaseAbstention } from "./lease-abstention.js";

test("a holder gives the lease up late, others do not ask for it early, and both do again at the first answer", () => {
  const holder = new LeaseAbstention();
  const other = new LeaseAbstention();
  const isLeft = (silentMs: number) => [
    holder.felt(silentMs, !holder.isAbstaining, true),
    other.felt(silentMs, false, false),
  ];
  expect([0, 2_900, 3_000, 9_900, 10_000, 60_000, 0].map(isLeft)).toEqual([
    [false, false],
    [false, false],
    [false, true],
    [false, true],
    [true, true],
    [true, true],
    [false, false],
  ]);
});

test("a lease that was given up is not taken again while answers are late", () => {
  const abstention = new LeaseAbstention();
  expect([10_000, 4_000, 3_000].map((silentMs) => abstention.felt(silentMs, false, true))).toEqual([true, true, true]);
});

test("a lease is kept while nobody has answers", () => {
  const abstention = new LeaseAbstention();
  expect([10_000, 60_000].map((silentMs) => abstention.felt(silentMs, true, false))).toEqual([false, false]);
  expect(abstention.felt(61_000, true, true)).toBe(true);
});
