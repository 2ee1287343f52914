import type { Assignment, ClusterBroker } from "@kaas/core";
import type { BrokerView } from "./broker-view.js";

/** A broker as the newest assignment and its fuse on the volume describe it. */
export interface ClusterBrokerView extends ClusterBroker {
  readonly isController: boolean;
  readonly partitions: number;
  readonly groupSlots: number;
  readonly transactionSlots: number;
  /** `gone`: it has ended in order, or was never there; that counts as blown. */
  readonly fuse: BrokerView["fuse"] | "gone";
}

/** All brokers that an assignment knows, by node id. */
export function describeBrokers(assignment: Assignment, fuses: readonly BrokerView[]): readonly ClusterBrokerView[] {
  const { controllerId, brokers, topics, slots } = assignment;
  const leaders = topics.flatMap((topic) => topic.leaders);
  const count = (of: readonly number[], nodeId: number): number => of.filter((leader) => leader === nodeId).length;
  return brokers.map((broker) => {
    const { nodeId, name, incarnation } = broker;
    const own = fuses.find((one) => one.broker === name && one.incarnation === incarnation);
    return {
      ...broker,
      isController: nodeId === controllerId,
      partitions: count(leaders, nodeId),
      groupSlots: count(slots.groups, nodeId),
      transactionSlots: count(slots.transactions, nodeId),
      fuse: own?.fuse ?? "gone",
    };
  });
}
