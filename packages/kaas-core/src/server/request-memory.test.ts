import { beforeEach, expect, test } from "vitest";
import { type MemoryHolder, RequestMemory } from "./request-memory.js";
import { CONNECTION_FREE_BYTES, REQUEST_MEMORY_BYTES, type ServerLimits } from "./server-limits.js";

const LIMIT = 1_000_000;

class Holder implements MemoryHolder {
  readonly memory: RequestMemory;
  held = 0;
  isReading = true;

  constructor(memory: RequestMemory) {
    this.memory = memory;
  }

  hold(bytes: number): this {
    const before = this.held;
    this.held = bytes;
    this.isReading = this.memory.change(this, before, bytes);
    return this;
  }

  memoryFreed(): void {
    this.hold(this.held);
  }
}

let memory: RequestMemory;
const holder = (bytes: number): Holder => new Holder(memory).hold(bytes);

beforeEach(() => {
  memory = new RequestMemory({ queuedMaxRequestBytes: LIMIT } as ServerLimits);
});

test("nobody is paused below the limit", () => {
  const holders = Array.from({ length: 9 }, () => holder(100_000));
  expect(holders.every(({ isReading }) => isReading)).toBe(true);
  expect(memory.usedBytes).toBe(900_000);
});

test("beyond the limit one reads on, the others pause", () => {
  holder(LIMIT);
  const others = [holder(100_000), holder(100_000)];
  expect(others.map(({ isReading }) => isReading)).toEqual([false, false]);
  expect(memory.pausedCount).toBe(2);
});

test("small requests pass at any time", () => {
  holder(2 * LIMIT);
  expect(holder(CONNECTION_FREE_BYTES).isReading).toBe(true);
});

test("all read again when there is memory", () => {
  const first = holder(LIMIT);
  const others = [holder(100_000), holder(100_000)];
  first.hold(0);
  expect(others.map(({ isReading }) => isReading)).toEqual([true, true]);
  expect(memory.pausedCount).toBe(0);
});

test("while memory stays short, the next has the favour as soon as the first is served", () => {
  const first = holder(LIMIT);
  const second = holder(LIMIT);
  const third = holder(LIMIT);
  first.hold(0);
  expect([second.isReading, third.isReading]).toEqual([true, false]);
});

test("the favour goes round, so that a client which stalls does not keep it", () => {
  const first = holder(LIMIT);
  const second = holder(LIMIT);
  memory.rotate();
  expect(second.isReading).toBe(true);
  expect(first.hold(LIMIT).isReading).toBe(false);
  memory.rotate();
  expect(first.isReading).toBe(true);
});

test("a connection that ends frees what it held", () => {
  const first = holder(LIMIT);
  const second = holder(100_000);
  memory.release(first, first.held);
  expect(second.isReading).toBe(true);
  expect(memory.usedBytes).toBe(100_000);
});

test("without a configured limit there is one all the same", () => {
  memory = new RequestMemory({ queuedMaxRequestBytes: -1 } as ServerLimits);
  const first = holder(REQUEST_MEMORY_BYTES - 100_000);
  expect(holder(99_999).isReading).toBe(true);
  first.hold(REQUEST_MEMORY_BYTES);
  expect(holder(100_000).isReading).toBe(false);
});
