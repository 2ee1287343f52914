import type { KafkaCluster, KafkaClusterListener } from "@kaas/operator-api";
import type { Service } from "../kubernetes/resources.js";
import {
  advertisedPortOf,
  bootstrapHostOf,
  bootstrapNameOf,
  brokerHostOf,
  brokerNameOf,
  isExternal,
  nodeIdsOf,
} from "./cluster-names.js";

/** Where something is reached. A host that is null is that of the node, which a broker knows best itself. */
export interface Address {
  readonly host: string | null;
  readonly port: number;
}

/** Where clients reach the brokers by one listener, as far as that is known. */
export interface ListenerAddresses {
  readonly name: string;
  readonly bootstrap: Address | undefined;
  readonly brokers: readonly (Address & { readonly nodeId: number })[];
  /** Services that have no address yet. */
  readonly pending: readonly string[];
}

/** The addresses of a listener, from its configuration and from what the Services have been given. */
export function listenerAddresses(
  cluster: KafkaCluster,
  listener: KafkaClusterListener,
  services: ReadonlyMap<string, Service>,
): ListenerAddresses {
  const { name, configuration } = listener;
  if (!isExternal(listener)) {
    const bootstrap = { host: bootstrapHostOf(cluster), port: listener.port };
    return { name, bootstrap, brokers: [], pending: [] };
  }
  const pending: string[] = [];
  const find = (serviceName: string, host: string | undefined): Address | undefined => {
    const address = addressOf(listener, services.get(serviceName), host);
    if (address === undefined) pending.push(serviceName);
    return address;
  };
  const bootstrap = find(bootstrapNameOf(cluster, listener), configuration?.bootstrapHost);
  const brokers = nodeIdsOf(cluster).flatMap((nodeId) => {
    const address = find(brokerNameOf(cluster, listener, nodeId), brokerHostOf(listener, nodeId));
    return address === undefined ? [] : [{ nodeId, ...address }];
  });
  return { name, bootstrap, brokers, pending };
}

function addressOf(
  listener: KafkaClusterListener,
  service: Service | undefined,
  host: string | undefined,
): Address | undefined {
  if (listener.type === "nodeport") {
    const nodePort = service?.spec?.ports?.[0]?.nodePort;
    if (nodePort === undefined) return undefined;
    return { host: host ?? null, port: listener.configuration?.advertisedPort ?? nodePort };
  }
  const port = advertisedPortOf(listener);
  if (host !== undefined) return { host, port };
  const [ingress] = service?.status?.loadBalancer?.ingress ?? [];
  const given = ingress?.hostname ?? ingress?.ip;
  return given === undefined ? undefined : { host: given, port };
}
