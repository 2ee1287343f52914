import { STORAGE_DOUBTED_MS, STORAGE_STALLED_MS } from "@kaas/core";

/**
 * Whether a broker leaves the Lease to others, for want of answers of the volume: a controller that has none publishes
 * nothing. Who holds it keeps it for longer than others wait with asking for it, so that a file server that is away for
 * everybody does not hand it round.
 */
export class LeaseAbstention {
  #isAbstaining = false;

  get isAbstaining(): boolean {
    return this.#isAbstaining;
  }

  /** For how long the volume has owed an answer. */
  felt(silentMs: number, isHolding: boolean): boolean {
    if (silentMs < STORAGE_DOUBTED_MS) this.#isAbstaining = false;
    else if (silentMs >= (isHolding ? STORAGE_STALLED_MS : STORAGE_DOUBTED_MS)) this.#isAbstaining = true;
    return this.#isAbstaining;
  }
}
