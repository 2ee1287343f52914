import type { KafkaCluster } from "@kaas/operator-api";
import { CERTIFICATES } from "../kubernetes/resources.js";
import { bootstrapHostOf, brokerHostOf, nodeIdsOf } from "./cluster-names.js";
import { type DesiredObject, desired } from "./desired-object.js";
import type { ListenerAddresses } from "./listener-addresses.js";

/** Name of the Secret that brokers take their certificate from, and of the Certificate that keeps it. */
export function brokerCertificateName(cluster: KafkaCluster): string {
  return `${cluster.metadata.name}-broker-tls`;
}

/** One certificate for all brokers, with every name and address that clients know them by. */
export function brokerCertificate(
  cluster: KafkaCluster,
  addresses: readonly ListenerAddresses[],
): readonly DesiredObject[] {
  const { certificate } = cluster.spec;
  if (certificate === undefined) return [];
  const name = brokerCertificateName(cluster);
  const { issuerRef, duration, renewBefore } = certificate;
  const { dnsNames, ipAddresses } = namesOf(cluster, addresses);
  return [
    desired(cluster, [CERTIFICATES], {
      name,
      spec: {
        secretName: name,
        issuerRef,
        dnsNames,
        ...(ipAddresses.length === 0 ? {} : { ipAddresses }),
        usages: ["server auth", "client auth"],
        ...(duration === undefined ? {} : { duration }),
        ...(renewBefore === undefined ? {} : { renewBefore }),
      },
    }),
  ];
}

function namesOf(cluster: KafkaCluster, addresses: readonly ListenerAddresses[]) {
  const { name, namespace = "default" } = cluster.metadata;
  const inside = [bootstrapHostOf(cluster), `*.${name}-brokers.${namespace}.svc`];
  const all = new Set([
    ...inside,
    ...inside.map((host) => `${host}.cluster.local`),
    ...(cluster.spec.certificate?.dnsNames ?? []),
  ]);
  for (const listener of cluster.spec.listeners.filter(({ tls }) => tls)) {
    if (listener.configuration?.bootstrapHost !== undefined) all.add(listener.configuration.bootstrapHost);
    for (const nodeId of nodeIdsOf(cluster)) all.add(brokerHostOf(listener, nodeId) ?? "");
    const known = addresses.find((candidate) => candidate.name === listener.name);
    for (const { host } of known?.brokers ?? []) all.add(host ?? "");
    all.add(known?.bootstrap?.host ?? "");
  }
  all.delete("");
  const isAddress = (host: string): boolean => /^[\d.]+$|:/.test(host);
  return {
    dnsNames: [...all].filter((host) => !isAddress(host)).sort(),
    ipAddresses: [...all].filter(isAddress).sort(),
  };
}
