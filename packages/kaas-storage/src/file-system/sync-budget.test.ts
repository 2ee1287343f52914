import { expect, test } from "vitest";
import { SyncBudget } from "./sync-budget.js";

/** How many calls are asynchronous before one is tried synchronously. */
function asyncCalls(budget: SyncBudget): number {
  let calls = 0;
  while (budget.takeAsync()) calls++;
  return calls;
}

test("quick calls stay synchronous", () => {
  const budget = new SyncBudget();
  for (let call = 0; call < 100; call++) {
    expect(budget.takeAsync()).toBe(false);
    budget.took(2);
  }
});

test("a disk that stays slow is tried less and less often, but is tried", () => {
  const budget = new SyncBudget();
  const calls = [];
  for (let call = 0; call < 7; call++) {
    budget.took(2.1);
    calls.push(asyncCalls(budget));
  }
  expect(calls).toEqual([4, 8, 16, 32, 64, 64, 64]);
});

test("after a run of quick calls a slow one is the first again", () => {
  const budget = new SyncBudget();
  for (let call = 0; call < 3; call++) budget.took(5);
  asyncCalls(budget);
  for (let call = 0; call < 15; call++) budget.took(0.1);
  budget.took(5);
  expect(asyncCalls(budget)).toBe(32);
  for (let call = 0; call < 16; call++) budget.took(0.1);
  budget.took(5);
  expect(asyncCalls(budget)).toBe(4);
});

test("a disk that is known to be stalled is not tried at all for a while", () => {
  const budget = new SyncBudget();
  budget.exhaust();
  expect(asyncCalls(budget)).toBe(64);
});
