import type { Clock, Random, Timer } from "@kaas/core";

interface Scheduled {
  readonly at: number;
  readonly callback: () => void;
}

/** Time that a test owns. */
export class TestClock implements Clock {
  #now: number;
  readonly #scheduled = new Set<Scheduled>();

  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  schedule(delayMs: number, callback: () => void): Timer {
    const entry: Scheduled = { at: this.#now + delayMs, callback };
    this.#scheduled.add(entry);
    return { cancel: () => void this.#scheduled.delete(entry) };
  }

  /** Lets time pass and runs what is due, in order. What that leads to goes on by itself. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      let next: Scheduled | undefined;
      for (const entry of this.#scheduled) {
        if (entry.at <= until && (next === undefined || entry.at < next.at)) next = entry;
      }
      if (next === undefined) break;
      this.#scheduled.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#now = until;
  }
}

/** Randomness that is the same in every run. */
export class TestRandom implements Random {
  #count: number;

  constructor(seed = 0) {
    this.#count = seed;
  }

  uuid(): string {
    const bytes = Buffer.alloc(16);
    bytes.writeUInt32BE(++this.#count);
    return bytes.toString("base64url");
  }

  integer(limit: number): number {
    return ++this.#count % limit;
  }
}
