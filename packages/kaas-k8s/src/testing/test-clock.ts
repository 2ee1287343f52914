import type { Clock, Random, Timer } from "@kaas/core";

interface Scheduled {
  readonly at: number;
  readonly callback: () => void;
}

/** Time that a test owns. The two clocks go together until a test sets the one on the wall. */
export class TestClock implements Clock {
  #monotonic = 1000;
  #wall: number;
  readonly #scheduled = new Set<Scheduled>();

  constructor(wall = 1_700_000_000_000) {
    this.#wall = wall;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  schedule(delayMs: number, callback: () => void): Timer {
    const entry: Scheduled = { at: this.#monotonic + Math.max(0, delayMs), callback };
    this.#scheduled.add(entry);
    return { cancel: () => void this.#scheduled.delete(entry) };
  }

  get pending(): number {
    return this.#scheduled.size;
  }

  /** The wall clock jumps; nothing else does. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  /** Time passes and no timer fires, as in a process that is stopped; they fire with the next `run`. */
  freeze(ms: number): void {
    this.#monotonic += ms;
    this.#wall += ms;
  }

  /** Lets time pass. After every timer that fires, what it led to is done before the next one. */
  async run(ms: number): Promise<void> {
    const until = this.#monotonic + ms;
    await settle();
    for (let next = this.#due(until); next !== undefined; next = this.#due(until)) {
      this.#scheduled.delete(next);
      this.freeze(Math.max(0, next.at - this.#monotonic));
      next.callback();
      await settle();
    }
    this.freeze(until - this.#monotonic);
    await settle();
  }

  #due(until: number): Scheduled | undefined {
    let first: Scheduled | undefined;
    for (const entry of this.#scheduled) {
      if (entry.at <= until && (first === undefined || entry.at < first.at)) first = entry;
    }
    return first;
  }
}

/** Lets everything happen that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
}

/** Chance that always takes the middle. */
export const evenRandom: Random = {
  uuid: () => "AAAAAAAAAAAAAAAAAAAAAA",
  integer: (limit) => Math.floor(limit / 2),
};
