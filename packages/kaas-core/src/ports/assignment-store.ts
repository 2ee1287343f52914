import type { Assignment } from "../cluster/assignment.js";

/** Where a controller publishes what it decides: files of the volume that are never overwritten. */
export interface AssignmentStore {
  /**
   * Claims a controller epoch that nobody had: `leaseTransitions`, or one above the highest on the volume if that is
   * more. Of several that claim at once, each gets its own.
   */
  claimEpoch(leaseTransitions: number): Promise<number>;
  /** The newest usable one on the volume, whoever published it. Rejects with `KAAS_VOLUME_INVALID` when there are, and none is. */
  newest(): Promise<Assignment | undefined>;
  /**
   * Durable, and in every later listing, when it resolves. Rejects with `KAAS_FENCED` when a higher controller epoch has
   * been claimed. After any other failure nobody knows whether it was published: the next attempt needs a new version.
   */
  publish(assignment: Assignment): Promise<void>;
}
