import type { Resource } from "@kaas/k8s";
import type { KafkaCluster, KafkaClusterListener } from "@kaas/operator-api";
import { TLS_ROUTES } from "../kubernetes/resources.js";
import { bootstrapNameOf, brokerHostOf, brokerNameOf, nodeIdsOf } from "./cluster-names.js";
import { type DesiredObject, desired } from "./desired-object.js";

/** What a Gateway is told of a listener: which host name leads to which broker. TLS ends at the broker. */
export function tlsRoutes(cluster: KafkaCluster, listener: KafkaClusterListener): readonly DesiredObject[] {
  const { type, configuration } = listener;
  const { gateway, bootstrapHost } = configuration ?? {};
  if (type !== "tlsroute" || gateway === undefined || bootstrapHost === undefined) return [];
  const route = (name: string, host: string): DesiredObject =>
    desired(cluster, TLS_ROUTES as readonly [Resource, ...Resource[]], {
      name,
      labels: { "kaas.rs/listener": listener.name },
      spec: {
        parentRefs: [gateway],
        hostnames: [host],
        rules: [{ backendRefs: [{ name, port: listener.port }] }],
      },
    });
  const brokers = nodeIdsOf(cluster).map((nodeId) =>
    route(brokerNameOf(cluster, listener, nodeId), brokerHostOf(listener, nodeId) ?? bootstrapHost),
  );
  return [route(bootstrapNameOf(cluster, listener), bootstrapHost), ...brokers];
}
