import { expect, test } from "vitest";
import { ReadBudget } from "./read-budget.js";

test("reads are synchronous for as long as they are quick", () => {
  const budget = new ReadBudget();
  for (let read = 0; read < 100; read++) {
    expect(budget.isSpent).toBe(false);
    budget.tookSync(2);
  }
});

test("after a slow one, sixteen quick ones in a row are asynchronous", () => {
  const budget = new ReadBudget();
  budget.tookSync(2.1);
  for (let read = 0; read < 15; read++) budget.tookAsync(0.1);
  expect(budget.isSpent).toBe(true);
  budget.tookAsync(2.1);
  for (let read = 0; read < 16; read++) {
    expect(budget.isSpent).toBe(true);
    budget.tookAsync(0.1);
  }
  expect(budget.isSpent).toBe(false);
});

test("quick asynchronous reads earn nothing in advance", () => {
  const budget = new ReadBudget();
  for (let read = 0; read < 100; read++) budget.tookAsync(0.1);
  budget.tookSync(10);
  expect(budget.isSpent).toBe(true);
});
