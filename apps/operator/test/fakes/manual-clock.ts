import type { Clock, Random, Timer } from "@kaas/core";

interface Scheduled {
  readonly at: number;
  readonly callback: () => void;
}

/** Time that a test owns. */
export class ManualClock implements Clock {
  #now = Date.parse("2026-01-01T00:00:00Z");
  readonly #scheduled = new Set<Scheduled>();

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

  /** Lets time pass and runs what is due, in order. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const [next] = [...this.#scheduled].filter(({ at }) => at <= until).sort((one, other) => one.at - other.at);
      if (next === undefined) break;
      this.#scheduled.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#now = until;
  }
}

/** Randomness that differs from call to call, and is the same in every run. */
export function countingRandom(): Random {
  let count = 0;
  return {
    uuid: () => {
      const bytes = Buffer.alloc(16, 0x5a);
      bytes.writeUInt32BE(++count, 0);
      return bytes.toString("base64url");
    },
    integer: (limit) => ++count % limit,
  };
}
