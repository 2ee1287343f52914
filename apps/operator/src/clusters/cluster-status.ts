import type { KafkaCluster, KafkaClusterStatus } from "@kaas/operator-api";
import type { Address, ListenerAddresses } from "./listener-addresses.js";

const ANY_NODE = "<any node>";

/** What the status says of how the listeners are reached: those whose beginning is known. */
export function listenerStatuses(
  cluster: KafkaCluster,
  addresses: readonly ListenerAddresses[],
): NonNullable<KafkaClusterStatus["listeners"]> {
  return cluster.spec.listeners.flatMap(({ name }) => {
    const found = addresses.find((candidate) => candidate.name === name);
    if (found?.bootstrap === undefined) return [];
    const brokers = found.brokers.map(({ nodeId, host, port }) => ({ nodeId, host: host ?? ANY_NODE, port }));
    return [{ name, bootstrapServers: text(found.bootstrap), ...(brokers.length === 0 ? {} : { brokers }) }];
  });
}

function text({ host, port }: Address): string {
  if (host === null) return `${ANY_NODE}:${port}`;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
