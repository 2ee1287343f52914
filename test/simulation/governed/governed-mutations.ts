import type { Mutation } from "../mutations.js";

/** A guard of those who decide, taken out, and a seed that is known to notice it. */
export interface GovernedMutation {
  readonly mutation: Mutation;
  readonly seed: number;
}

const FOLLOWER = "../../../apps/broker/src/control/follower.ts";

function guard(name: string, file: string, find: string, replace: string, seed: number): GovernedMutation {
  return { mutation: { name, file, edits: [{ find, replace }], world: "cluster" }, seed };
}

/**
 * Most of what a controller does is not among them: whatever it decides, storage loses nothing, and that is what the
 * histories of the other worlds show. That of two who claim a controller's epoch at once each gets its own is held by
 * `assignment-files.test.ts`, and that a missed report is noticed by `led-changes.test.ts`: here both hardly ever happen.
 */
export const governedMutations: readonly GovernedMutation[] = [
  guard(
    "assignments-only-pushed",
    FOLLOWER,
    "if (newer !== undefined) this.offer(newer);",
    "if (newer !== undefined && this.#current === undefined) this.offer(newer);",
    39,
  ),
  guard(
    "lost-brokers-keep-what-they-lead",
    "../../kaas-core/src/cluster/controller/broker-registry.ts",
    "broker.isLost = broker.isFollowed || !isFollowed;",
    "broker.isLost = false;",
    1,
  ),
  guard(
    "fuse-of-the-one-before-not-blown",
    "leadership/take-lead.ts",
    "await blowFuse(claimant.fileSystem, claimant.brokers, owner, claimant);",
    "void owner;",
    1,
  ),
];
