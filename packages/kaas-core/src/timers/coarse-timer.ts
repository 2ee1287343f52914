import type { Clock, Timer } from "../ports/clock.js";

/** Something that waits with a deadline. */
export interface Expirable {
  /** Set by the owner when the wait is over; an entry that is done is dropped without a call. */
  readonly done: boolean;
  expire(): void;
}

/**
 * Deadlines for many short waits at the price of one clock timer: entries are put into buckets of `resolutionMs`, and
 * a bucket fires when its time has wholly passed. Late by at most two resolutions, never early. Cancelling is free:
 * an entry that is done by then is only forgotten.
 */
export class CoarseTimer {
  readonly #clock: Clock;
  readonly #resolutionMs: number;
  readonly #buckets = new Map<number, Expirable[]>();
  #timer: Timer | undefined;
  #stopped = false;

  constructor(clock: Clock, resolutionMs: number) {
    this.#clock = clock;
    this.#resolutionMs = resolutionMs;
  }

  add(delayMs: number, entry: Expirable): void {
    const bucket = Math.floor((this.#clock.monotonic() + Math.max(0, delayMs)) / this.#resolutionMs) + 1;
    const entries = this.#buckets.get(bucket);
    if (entries === undefined) this.#buckets.set(bucket, [entry]);
    else entries.push(entry);
    this.#arm();
  }

  /** Forgets everything; nothing fires any more. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#buckets.clear();
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#stopped) return;
    this.#timer = this.#clock.schedule(this.#resolutionMs, () => this.#tick());
  }

  #tick(): void {
    this.#timer = undefined;
    const now = Math.floor(this.#clock.monotonic() / this.#resolutionMs);
    for (const [bucket, entries] of this.#buckets) {
      if (bucket > now) continue;
      this.#buckets.delete(bucket);
      for (const entry of entries) if (!entry.done) entry.expire();
    }
    if (this.#buckets.size > 0) this.#arm();
  }
}
