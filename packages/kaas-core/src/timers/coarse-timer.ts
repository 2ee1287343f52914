import type { Clock, Timer } from "../ports/clock.js";

/** Something that waits with a deadline. */
export interface Expirable {
  /** Set by the owner when the wait is over: an entry that is done is not called, though its bucket be firing. */
  readonly done: boolean;
  expire(): void;
}

/** The deadlines that fire together. */
interface Bucket {
  readonly number: number;
  first: Deadline | undefined;
}

/** One wait, as a link of its bucket's chain: to add and to remove one touches nothing else. */
export class Deadline {
  readonly entry: Expirable;
  readonly #bucket: Bucket;
  #previous: Deadline | undefined;
  #next: Deadline | undefined;
  #isLinked = true;

  constructor(entry: Expirable, bucket: Bucket) {
    this.entry = entry;
    this.#bucket = bucket;
    this.#next = bucket.first;
    if (bucket.first !== undefined) bucket.first.#previous = this;
    bucket.first = this;
  }

  get next(): Deadline | undefined {
    return this.#next;
  }

  /** Takes the entry out, since its wait is over; nothing happens if the bucket has fired, or it was taken out before. */
  remove(): void {
    if (!this.#isLinked) return;
    this.#isLinked = false;
    if (this.#previous === undefined) this.#bucket.first = this.#next;
    else this.#previous.#next = this.#next;
    if (this.#next !== undefined) this.#next.#previous = this.#previous;
    this.#previous = undefined;
    this.#next = undefined;
  }
}

/**
 * Deadlines for many short waits at the price of one clock timer: entries are put into buckets of `resolutionMs`, and
 * a bucket fires when its time has wholly passed. Late by at most two resolutions, never early.
 *
 * Most waits end long before their deadline. Each is taken out when it does: left in until its bucket fires, the
 * requests of half a minute would be kept in memory, and be looked through by every garbage collection. A bucket that
 * is empty by that stays until the next tick, as the next request is likely to want it.
 */
export class CoarseTimer {
  readonly #clock: Clock;
  readonly #resolutionMs: number;
  readonly #buckets = new Map<number, Bucket>();
  /** The bucket that was asked for last: that of the next request, more often than not. */
  #recent: Bucket | undefined;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(clock: Clock, resolutionMs: number) {
    this.#clock = clock;
    this.#resolutionMs = resolutionMs;
  }

  /** How many entries wait. */
  get size(): number {
    let count = 0;
    for (const { first } of this.#buckets.values()) {
      for (let deadline = first; deadline !== undefined; deadline = deadline.next) count++;
    }
    return count;
  }

  add(delayMs: number, entry: Expirable): Deadline {
    const number = Math.floor((this.#clock.monotonic() + Math.max(0, delayMs)) / this.#resolutionMs) + 1;
    const bucket = this.#recent?.number === number ? this.#recent : this.#bucketOf(number);
    this.#arm();
    return new Deadline(entry, bucket);
  }

  /** Forgets everything; nothing fires any more. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#buckets.clear();
    this.#recent = undefined;
  }

  #bucketOf(number: number): Bucket {
    const bucket = this.#buckets.get(number) ?? { number, first: undefined };
    this.#buckets.set(number, bucket);
    this.#recent = bucket;
    return bucket;
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#isStopped) return;
    this.#timer = this.#clock.schedule(this.#resolutionMs, () => this.#tick());
  }

  #tick(): void {
    this.#timer = undefined;
    const now = Math.floor(this.#clock.monotonic() / this.#resolutionMs);
    for (const [number, bucket] of this.#buckets) {
      if (number > now && bucket.first !== undefined) continue;
      this.#buckets.delete(number);
      if (bucket === this.#recent) this.#recent = undefined;
      if (number <= now) fire(bucket);
    }
    if (this.#buckets.size > 0) this.#arm();
  }
}

/** Whoever expires may take out others of the bucket, which then are not called. */
function fire(bucket: Bucket): void {
  for (let { first } = bucket; first !== undefined; first = bucket.first) {
    first.remove();
    if (!first.entry.done) first.entry.expire();
  }
}
