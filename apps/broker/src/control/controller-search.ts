import type { LeaseIdentity } from "./lease-identity.js";

/** Who published the newest assignment that is known, and at which controller epoch. */
export interface Publisher {
  readonly identity: LeaseIdentity | undefined;
  readonly controllerEpoch: number;
}

/**
 * Which process to take for the controller. The Lease says so first, and a broker that is cut off from the API server
 * keeps what it said last; what another controller publishes on the volume later says more.
 */
export class ControllerSearch {
  #holder: LeaseIdentity | undefined;
  /** That of the newest assignment when the Lease was first seen with this holder. */
  #epochBefore = -1;

  controller(holder: LeaseIdentity | undefined, newest: Publisher | undefined): LeaseIdentity | undefined {
    if (holder?.broker !== this.#holder?.broker || holder?.incarnation !== this.#holder?.incarnation) {
      this.#holder = holder;
      this.#epochBefore = newest?.controllerEpoch ?? -1;
    }
    if (holder === undefined) return newest?.identity;
    const hasSuccessor = newest !== undefined && newest.controllerEpoch > this.#epochBefore;
    return hasSuccessor && newest.identity !== undefined ? newest.identity : holder;
  }
}
