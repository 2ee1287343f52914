/** A broker that is alive, to the balancer. */
export interface PlanBroker {
  readonly nodeId: number;
  readonly rack: string | null;
  /** `drains`: it gets nothing new, and loses what it has. */
  readonly role: "leads" | "drains";
}

/** Nobody, where a broker's index stands. */
export const NOBODY = -1;

/** Brokers by index: first those that may lead, by node id, then those that drain. */
export interface BrokerTable {
  readonly nodeIds: readonly number[];
  /** How many may lead. */
  readonly leading: number;
  readonly indexes: ReadonlyMap<number, number>;
  /** Equal where racks are; −1 for a broker without one. */
  readonly racks: readonly number[];
  /** How many items of all kinds were given to each, so far. */
  readonly loads: Int32Array;
}

/** The same table for the same brokers, in whatever order they come. */
export function createBrokerTable(brokers: readonly PlanBroker[]): BrokerTable {
  const sorted = [...brokers].sort(
    (one, other) => Number(one.role === "drains") - Number(other.role === "drains") || one.nodeId - other.nodeId,
  );
  const names = [...new Set(sorted.flatMap(({ rack }) => (rack === null ? [] : [rack])))];
  return {
    nodeIds: sorted.map(({ nodeId }) => nodeId),
    leading: sorted.filter(({ role }) => role === "leads").length,
    indexes: new Map(sorted.map(({ nodeId }, index) => [nodeId, index])),
    racks: sorted.map(({ rack }) => (rack === null ? -1 : names.indexOf(rack))),
    loads: new Int32Array(sorted.length),
  };
}
