import type { KafkaCluster, KafkaClusterListener } from "@kaas/operator-api";
import { SERVICES } from "../kubernetes/resources.js";
import { advertisedPortOf, bootstrapNameOf, brokerNameOf, nodeIdsOf } from "./cluster-names.js";
import { type DesiredObject, desired } from "./desired-object.js";

const SERVICE_TYPES = { loadbalancer: "LoadBalancer", nodeport: "NodePort", tlsroute: "ClusterIP" } as const;
const INSTANCE_LABEL = "app.kubernetes.io/instance";

/** What leads to the brokers by a listener that is reached from outside: a Service each, and one to begin with. */
export function listenerServices(cluster: KafkaCluster, listener: KafkaClusterListener): readonly DesiredObject[] {
  if (listener.type === "internal") return [];
  const { configuration } = listener;
  const nodePortOf = (nodeId: number): number | undefined =>
    configuration?.nodePorts?.find((chosen) => chosen.nodeId === nodeId)?.nodePort;
  const brokers = nodeIdsOf(cluster).map((nodeId) => {
    const name = brokerNameOf(cluster, listener, nodeId);
    const selector = { "statefulset.kubernetes.io/pod-name": `${cluster.metadata.name}-${nodeId}` };
    return service(cluster, listener, name, selector, nodePortOf(nodeId), true);
  });
  const first = bootstrapNameOf(cluster, listener);
  return [service(cluster, listener, first, allBrokers(cluster), configuration?.bootstrapNodePort, false), ...brokers];
}

function service(
  cluster: KafkaCluster,
  listener: KafkaClusterListener,
  name: string,
  selector: Readonly<Record<string, string>>,
  nodePort: number | undefined,
  isOneBroker: boolean,
): DesiredObject {
  const { configuration, port, type } = listener;
  const { annotations, labels, loadBalancerClass, loadBalancerSourceRanges, externalTrafficPolicy } =
    configuration ?? {};
  const isOpen = type === "loadbalancer" || type === "nodeport";
  return desired(cluster, [SERVICES], {
    name,
    labels: { ...labels, "kaas.rs/listener": listener.name },
    annotations,
    spec: {
      type: SERVICE_TYPES[type as keyof typeof SERVICE_TYPES],
      selector,
      // A client that was told of a broker is to reach it, ready or not; one that begins wants any that is ready.
      publishNotReadyAddresses: isOneBroker,
      ports: [
        {
          name: `tcp-${listener.name}`,
          port: type === "loadbalancer" ? advertisedPortOf(listener) : port,
          targetPort: port,
          protocol: "TCP",
          ...(nodePort === undefined ? {} : { nodePort }),
        },
      ],
      ...(loadBalancerClass === undefined ? {} : { loadBalancerClass }),
      ...(loadBalancerSourceRanges === undefined ? {} : { loadBalancerSourceRanges }),
      ...(isOpen && externalTrafficPolicy !== undefined ? { externalTrafficPolicy } : {}),
    },
  });
}

/** The labels of the brokers' pods. */
function allBrokers({ metadata }: KafkaCluster): Readonly<Record<string, string>> {
  const instance = metadata.labels?.[INSTANCE_LABEL];
  return {
    "app.kubernetes.io/name": "kaas",
    "app.kubernetes.io/component": "broker",
    ...(instance === undefined ? {} : { [INSTANCE_LABEL]: instance }),
  };
}
