import type { LiveCluster } from "../../client/kafka-client.js";
import type { LiveTopic } from "./live-topics.js";

/** A broker, with what it leads of the topics that the user may see. */
export interface BrokerRow {
  readonly nodeId: number;
  readonly isFenced: boolean;
  readonly isController: boolean;
  readonly rack: string | null;
  readonly partitions: number;
  /** The one that was called. */
  readonly listeners: readonly { readonly host: string; readonly port: number }[];
}

/** All brokers of a cluster, by node id. */
export function brokerRows({ controllerId, brokers }: LiveCluster, topics: readonly LiveTopic[]): readonly BrokerRow[] {
  const leaders = new Map<number, number>();
  for (const { leader } of topics.flatMap(({ partitions }) => partitions)) {
    leaders.set(leader, (leaders.get(leader) ?? 0) + 1);
  }
  return brokers.map(({ nodeId, host, port, rack, isFenced }) => ({
    nodeId,
    isFenced,
    isController: nodeId === controllerId,
    rack,
    partitions: leaders.get(nodeId) ?? 0,
    listeners: [{ host, port }],
  }));
}
