import type { Mutation } from "../mutations.js";

/** A guard of those who decide, taken out, and a seed that is known to notice it. */
export interface GovernedMutation {
  readonly mutation: Mutation;
  readonly seed: number;
}

const CONTROLLER = "../../kaas-core/src/cluster/controller/";
const TAKE_LEAD = "leadership/take-lead.ts";

function guard(name: string, file: string, find: string, replace: string, seed: number): GovernedMutation {
  return { mutation: { name, file, edits: [{ find, replace }], world: "cluster" }, seed };
}

/**
 * The first two cost availability, or data; the others harm brokers that nothing is wrong with.
 *
 * Most of what a controller does is not among them: whatever it decides, storage loses nothing, and that is what the
 * histories of the other worlds show. That of two who claim a controller's epoch at once each gets its own is held by
 * `assignment-files.test.ts`, that a missed report is noticed by `led-changes.test.ts`, and
 * that assignments are looked for on the volume by `follower.test.ts`: here they hardly ever matter.
 */
export const governedMutations: readonly GovernedMutation[] = [
  guard(
    "lost-brokers-keep-what-they-lead",
    `${CONTROLLER}broker-registry.ts`,
    "broker.isLost = broker.isFollowed || !isFollowed;",
    "broker.isLost = false;",
    3,
  ),
  guard(
    "fuse-of-the-one-before-not-blown",
    TAKE_LEAD,
    "await blowFuse(claimant.fileSystem, claimant.brokers, owner, claimant);",
    "void owner;",
    19,
  ),
  guard(
    "started-again-and-counted-as-lost",
    `${CONTROLLER}broker-registry.ts`,
    "broker.isLost = broker.isFollowed || !isFollowed;",
    "broker.isLost = isFollowed || !isFollowed;",
    4,
  ),
  guard(
    "hand-over-not-waited-for",
    TAKE_LEAD,
    "if (!left.some(({ broker, incarnation }) => isAlive(broker, incarnation))) return left;",
    "if (left.length > 0 || isAlive(claimant.broker, claimant.incarnation)) return left;",
    2,
  ),
  guard(
    "decides-without-the-lease",
    "../../../apps/broker/src/control/cluster-control.ts",
    "lost: () => {\n          this.#controller.resign();",
    "lost: () => {",
    12,
  ),
];
