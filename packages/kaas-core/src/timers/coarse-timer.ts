import type { Clock, Timer } from "../ports/clock.js";

/** Something that waits with a deadline. */
export interface Expirable {
  /** Set by the owner when the wait is over: an entry that is done is not called, though its bucket be firing. */
  readonly done: boolean;
  expire(): void;
}

/**
 * Deadlines for many short waits at the price of one clock timer: entries are put into buckets of `resolutionMs`, and
 * a bucket fires when its time has wholly passed. Late by at most two resolutions, never early.
 *
 * Most waits end long before their deadline. Each is taken out when it does: left in until its bucket fires, the
 * requests of half a minute would be kept in memory, and be looked through by every garbage collection.
 */
export class CoarseTimer {
  readonly #clock: Clock;
  readonly #resolutionMs: number;
  readonly #buckets = new Map<number, Set<Expirable>>();
  #timer: Timer | undefined;
  #stopped = false;

  constructor(clock: Clock, resolutionMs: number) {
    this.#clock = clock;
    this.#resolutionMs = resolutionMs;
  }

  /** How many entries wait. */
  get size(): number {
    let count = 0;
    for (const entries of this.#buckets.values()) count += entries.size;
    return count;
  }

  /** The bucket that the entry is in, for {@link remove}. */
  add(delayMs: number, entry: Expirable): number {
    const bucket = Math.floor((this.#clock.monotonic() + Math.max(0, delayMs)) / this.#resolutionMs) + 1;
    const entries = this.#buckets.get(bucket);
    if (entries === undefined) this.#buckets.set(bucket, new Set([entry]));
    else entries.add(entry);
    this.#arm();
    return bucket;
  }

  /** Takes an entry out whose wait is over; nothing happens if its bucket has fired. */
  remove(bucket: number, entry: Expirable): void {
    const entries = this.#buckets.get(bucket);
    if (entries?.delete(entry) === true && entries.size === 0) this.#buckets.delete(bucket);
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
