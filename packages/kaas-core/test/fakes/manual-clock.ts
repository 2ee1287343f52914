import type { Clock, Timer } from "../../src/ports/clock.js";

interface Scheduled {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test moves it. Due timers fire in the order of their times. */
export class ManualClock implements Clock {
  #now: number;
  #scheduled = new Set<Scheduled>();

  constructor(startMs = 1_700_000_000_000) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  schedule(delayMs: number, callback: () => void): Timer {
    const entry: Scheduled = { at: this.#now + Math.max(0, delayMs), callback };
    this.#scheduled.add(entry);
    return { cancel: () => void this.#scheduled.delete(entry) };
  }

  /** How many timers are pending. */
  get pending(): number {
    return this.#scheduled.size;
  }

  /** Moves time on; timers that become due fire at their own time, those they schedule included. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      let next: Scheduled | undefined;
      for (const entry of this.#scheduled) {
        if (entry.at <= end && (next === undefined || entry.at < next.at)) next = entry;
      }
      if (next === undefined) break;
      this.#scheduled.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#now = end;
  }

  /** As if the process had been stopped: time has passed when the first timer fires. */
  jump(ms: number): void {
    this.#now += ms;
  }
}
