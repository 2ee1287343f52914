import type { Random } from "@kaas/core";

export interface BackoffLimits {
  /** The first wait, at most. */
  readonly firstMs: number;
  /** The longest. */
  readonly longestMs: number;
}

/** Fineness of the jitter. */
const STEPS = 1000;

/** Waits that double from attempt to attempt, each shortened by chance to between half and all of it. */
export class Backoff {
  readonly #limits: BackoffLimits;
  readonly #random: Random;
  #attempts = 0;

  constructor(limits: BackoffLimits, random: Random) {
    this.#limits = limits;
    this.#random = random;
  }

  nextMs(): number {
    const { firstMs, longestMs } = this.#limits;
    // Beyond 2^30 the longest has been reached, whatever the limits are.
    const fullMs = Math.min(longestMs, firstMs * 2 ** Math.min(this.#attempts, 30));
    this.#attempts++;
    return Math.ceil((fullMs * (STEPS + this.#random.integer(STEPS + 1))) / (2 * STEPS));
  }

  reset(): void {
    this.#attempts = 0;
  }
}
