import { Fifo } from "./fifo.js";

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
  #free: number;
  readonly #waiting = new Fifo<SlotClaimant>();

  constructor(count: number) {
    this.count = count;
    this.#free = count;
  }

  /** True: taken at once. False: the claimant is called when its turn comes, in the order of asking. */
  acquire(claimant: SlotClaimant): boolean {
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    this.#waiting.push(claimant);
    return false;
  }

  release(): void {
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
