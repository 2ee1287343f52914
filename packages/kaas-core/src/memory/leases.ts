import { assert } from "../errors/kaas-error.js";
import type { Lease } from "../ports/memory.js";

/** Several leases that end together, once. */
export class Leases implements Lease {
  #leases: readonly Lease[] | undefined;

  constructor(leases: readonly Lease[]) {
    this.#leases = leases;
  }

  /** One lease for all of them; none for none. The list is kept. */
  static of(leases: readonly Lease[]): Lease | undefined {
    return leases.length <= 1 ? leases[0] : new Leases(leases);
  }

  release(): void {
    const leases = this.#leases;
    assert(leases !== undefined, "a lease ends once");
    this.#leases = undefined;
    for (const lease of leases) lease.release();
  }
}
