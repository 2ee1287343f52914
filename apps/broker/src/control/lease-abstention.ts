import { STORAGE_DOUBTED_MS, STORAGE_STALLED_MS } from "@kaas/core";

/**
 * Whether a broker leaves the Lease to others, for want of answers of the volume: a controller that has none publishes
 * nothing. Who holds it gives it up only to a broker that has answers: a file server that is away for everybody does not
 * hand it round.
 */
export class LeaseAbstention {
  #isAbstaining = false;

  get isAbstaining(): boolean {
    return this.#isAbstaining;
  }

  /**
   * For how long the volume has owed an answer; `isOutdone`, where this broker holds the Lease: whether another one has
   * answers.
   */
  felt(silentMs: number, isHolding: boolean, isOutdone: boolean): boolean {
    if (silentMs < STORAGE_DOUBTED_MS) this.#isAbstaining = false;
    else if (!isHolding || (isOutdone && silentMs >= STORAGE_STALLED_MS)) this.#isAbstaining = true;
    return this.#isAbstaining;
  }
}
