import type { ClusterBroker } from "../ports/cluster-view.js";

/** Nobody leads. */
export const NO_LEADER = -1;

/** Who leads the partitions of one topic, by partition. */
export interface TopicAssignment {
  readonly topicId: string;
  /** For people; the id decides. */
  readonly name: string;
  /** Node ids; {@link NO_LEADER} where no broker can. */
  readonly leaders: readonly number[];
  /** What the leaders reported to have claimed; −1 where nothing was reported yet. */
  readonly leaderEpochs: readonly number[];
  /** Where admin clients want partitions to be led; kept from one assignment to the next. Absent where there is none. */
  readonly wishes?: readonly PartitionWish[] | undefined;
}

/** Node ids in the order in which they are preferred; the first that can lead shall. */
export interface PartitionWish {
  readonly partition: number;
  readonly brokers: readonly number[];
}

/**
 * Who should lead what: one decision of a controller, immutable once it is published. The one with the highest
 * controller epoch counts, and of these the one with the highest version.
 *
 * It is a wish. Who leads is decided on the volume, by claims and fuses.
 */
export interface Assignment {
  readonly controllerEpoch: number;
  readonly version: number;
  /** Node id of the controller that made it. */
  readonly controllerId: number;
  /** Wall clock, for people. */
  readonly createdMs: number;
  /** Every broker that the controller knows, by node id, and how clients reach it. */
  readonly brokers: readonly ClusterBroker[];
  readonly topics: readonly TopicAssignment[];
  /** Node ids, by slot; {@link NO_LEADER} where no broker can. */
  readonly slots: { readonly groups: readonly number[]; readonly transactions: readonly number[] };
}

/** Whether an assignment replaces another: brokers only ever go forward. */
export function supersedes(assignment: Assignment, other: Assignment | undefined): boolean {
  if (other === undefined) return true;
  if (assignment.controllerEpoch !== other.controllerEpoch) return assignment.controllerEpoch > other.controllerEpoch;
  return assignment.version > other.version;
}
