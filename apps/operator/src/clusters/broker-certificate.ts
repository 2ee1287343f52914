import type { KafkaCluster } from "@kaas/operator-api";
import { CERTIFICATES } from "../kubernetes/resources.js";
import { bootstrapServiceOf, brokerHostOf, nodeIdsOf } from "./cluster-names.js";
import { type DesiredObject, desired } from "./desired-object.js";
import type { ListenerAddresses } from "./listener-addresses.js";

/** Name of the Certificate of the brokers, and of the Secret that it is kept in. */
function brokerCertificateName(cluster: KafkaCluster): string {
  return `${cluster.metadata.name}-broker-tls`;
}

/** The Secret that brokers take their certificate from: one that is given, or that of the Certificate. */
export function brokerSecretName(cluster: KafkaCluster): string | undefined {
  const { certificate, certificateSecret } = cluster.spec;
  return certificate === undefined ? certificateSecret : brokerCertificateName(cluster);
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
  // As Pods may write them: in the namespace itself a Service is found by its name alone.
  const domains = ["", `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`];
  const services = [bootstrapServiceOf(cluster), `*.${name}-brokers`];
  const all = new Set([
    ...services.flatMap((service) => domains.map((domain) => `${service}${domain}`)),
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
