import type { Clock } from "@kaas/core";
import { Fifo } from "./fifo.js";

/** A disk that is well ends some fsync sooner; one that is slow makes a hop over the thread pool cheap. */
const SUSPECT_AFTER_MS = 50;

/** Somebody who waits for leave to fsync. */
export interface SlotClaimant {
  /** Called once a slot is free; the claimant has it and gives it back with `release`. */
  slotGranted(): void;
}

/**
 * How many fsyncs run at once. More than the thread pool has threads would queue there, ahead of reads and of each
 * other, while their groups of appends could still have grown.
 */
export class SyncSlots {
  readonly count: number;
  readonly #clock: Clock;
  #free: number;
  /** When the first of those that run began, or the last one ended. */
  #movedMs = 0;
  readonly #waiting = new Fifo<SlotClaimant>();

  constructor(count: number, clock: Clock) {
    this.count = count;
    this.#clock = clock;
    this.#free = count;
  }

  /** Whether fsyncs are under way and none has ended for a while: the next call of whatever kind may hang as well. */
  get isSuspect(): boolean {
    return this.#free < this.count && this.#clock.monotonic() - this.#movedMs > SUSPECT_AFTER_MS;
  }

  /** True: taken at once. False: the claimant is called when its turn comes, in the order of asking. */
  acquire(claimant: SlotClaimant): boolean {
    if (this.#free > 0) {
      if (this.#free === this.count) this.#movedMs = this.#clock.monotonic();
      this.#free--;
      return true;
    }
    this.#waiting.push(claimant);
    return false;
  }

  release(): void {
    this.#movedMs = this.#clock.monotonic();
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next.slotGranted();
  }

  /** For those who have time: runs the work with a slot. */
  async with<Result>(work: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((resolve) => {
      if (this.acquire({ slotGranted: resolve })) resolve();
    });
    try {
      return await work();
    } finally {
      this.release();
    }
  }
}
