import { expect, test } from "vitest";
import type { ExchangeOwner } from "./exchange.js";
import { ExchangeQueue } from "./exchange-queue.js";

const owner: ExchangeOwner = { settled() {}, failed() {} };

test("exchanges leave in the order they came in, however the ring turns and grows", () => {
  const queue = new ExchangeQueue(owner);
  let pushed = 0;
  let shifted = 0;
  for (let round = 1; round <= 40; round++) {
    for (let count = 0; count < round; count++) queue.push().correlationId = pushed++;
    const leaving = round % 3 === 0 ? queue.count : Math.floor(queue.count / 2);
    for (let count = 0; count < leaving; count++) {
      expect(queue.first?.correlationId).toBe(shifted++);
      queue.shift();
    }
  }
  expect(queue.count).toBe(pushed - shifted);
});

test("an exchange that is over holds on to nothing and is used again", () => {
  const queue = new ExchangeQueue(owner);
  const exchange = queue.push();
  exchange.request = { large: true };
  exchange.answer({ large: true });
  queue.shift();
  expect(exchange).toMatchObject({ request: undefined, response: undefined, api: undefined, context: undefined });
  const others = [queue.push(), queue.push(), queue.push(), queue.push()];
  expect(others).toContain(exchange);
  expect(queue.first).not.toBeUndefined();
});
