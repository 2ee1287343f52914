import type { KafkaCluster, KafkaClusterListener } from "@kaas/operator-api";

/** The Service that clients within the cluster begin with; the chart makes it. */
export function bootstrapServiceOf(cluster: KafkaCluster): string {
  return `${cluster.metadata.name}-bootstrap`;
}

export function bootstrapHostOf(cluster: KafkaCluster): string {
  return `${bootstrapServiceOf(cluster)}.${cluster.metadata.namespace ?? "default"}.svc`;
}

/** Name of what clients from outside begin with. */
export function bootstrapNameOf(cluster: KafkaCluster, listener: KafkaClusterListener): string {
  return `${cluster.metadata.name}-${listener.name}-bootstrap`;
}

/** Name of what leads from outside to one broker. */
export function brokerNameOf(cluster: KafkaCluster, listener: KafkaClusterListener, nodeId: number): string {
  return `${cluster.metadata.name}-${listener.name}-${nodeId}`;
}

/** Host name of a broker, where the listener says how they are called. */
export function brokerHostOf({ configuration }: KafkaClusterListener, nodeId: number): string | undefined {
  return configuration?.brokerHostTemplate?.replace("{nodeId}", String(nodeId));
}

/** The port that clients from outside connect to, where it is not for Kubernetes to choose. */
export function advertisedPortOf({ configuration, port }: KafkaClusterListener): number {
  return configuration?.advertisedPort ?? port;
}

export function nodeIdsOf(cluster: KafkaCluster): readonly number[] {
  return Array.from({ length: cluster.spec.replicas }, (_, nodeId) => nodeId);
}

export function isExternal({ type }: KafkaClusterListener): boolean {
  return type !== "internal";
}
