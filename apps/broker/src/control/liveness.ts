/** How often the data plane shows that it is at work. */
export const TICK_INTERVAL_MS = 1_000;

/** Without a tick for so long the data plane counts as stuck. Long pauses of a collector are no reason yet. */
export const TICK_STALE_MS = 5_000;

/** More than this between two looks is no time in which the data plane could have shown anything. */
const COUNTED_MS_MAX = 1_000;

/** One number that both threads see: the data plane counts it up, the control plane looks whether it moves. */
export type TickMemory = SharedArrayBuffer;

export function tickMemory(): TickMemory {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
}

/** Shows that this thread is at work. */
export function tick(memory: TickMemory): void {
  Atomics.add(new Int32Array(memory), 0, 1);
}

/**
 * Looks whether the other thread is at work, for as long as this one is: a process that was stopped for a minute finds what
 * this thread had to do due before the other one has had a chance to show anything. Of that minute a second counts.
 */
export class LivenessWatch {
  readonly #ticks: Int32Array;
  readonly #monotonic: () => number;
  #seen: number;
  #lookedMs: number;
  #silentMs = 0;

  constructor(memory: TickMemory, monotonic: () => number) {
    this.#ticks = new Int32Array(memory);
    this.#monotonic = monotonic;
    this.#seen = Atomics.load(this.#ticks, 0);
    this.#lookedMs = monotonic();
  }

  /** Milliseconds since the other thread was first seen where it is now; to be asked twice a second. */
  get silentMs(): number {
    const now = this.#monotonic();
    const ticks = Atomics.load(this.#ticks, 0);
    const isSame = ticks === this.#seen;
    this.#silentMs = isSame ? this.#silentMs + Math.min(COUNTED_MS_MAX, now - this.#lookedMs) : 0;
    this.#seen = ticks;
    this.#lookedMs = now;
    return this.#silentMs;
  }

  get isAlive(): boolean {
    return this.silentMs < TICK_STALE_MS;
  }
}
