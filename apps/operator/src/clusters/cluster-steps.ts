import type { Clock } from "@kaas/core";
import { getIfThere, type KubernetesApi, type Resource } from "@kaas/k8s";
import type { KafkaCluster } from "@kaas/operator-api";
import type { ExternalAddressesFile } from "@kaas/storage";
import { whyNotIssued } from "../kubernetes/certificate-state.js";
import { isMadeFor, isOwnedBy } from "../kubernetes/ownership.js";
import { CERTIFICATES, SECRETS, type Secret, SERVICES, type Service, TLS_ROUTES } from "../kubernetes/resources.js";
import type { Refusal, Step } from "../reconciling/steps.js";
import { brokerCertificate, brokerSecretName } from "./broker-certificate.js";
import { noteCertificate } from "./certificate-checks.js";
import { createAssignments } from "./cluster-assignments.js";
import { clusterAuthority, clusterAuthorityName, foreignAuthority } from "./cluster-authority.js";
import { isExternal } from "./cluster-names.js";
import type { ClusterRun } from "./cluster-run.js";
import type { DesiredObject } from "./desired-object.js";
import { listenerAddresses } from "./listener-addresses.js";
import { keepForListeners, type ListenerNeeds, nameTaken } from "./listener-keeping.js";
import { listenerServices } from "./listener-services.js";
import { namespaceTaken } from "./namespace-owner.js";
import { type ObjectKeeper, ResourceMissing } from "./object-keeper.js";
import { tlsRoutes } from "./tls-routes.js";

export interface ClusterTools {
  readonly api: KubernetesApi;
  readonly keeper: ObjectKeeper;
  readonly addresses: ExternalAddressesFile;
  readonly clock: Clock;
  /** Whose namespace it is. */
  readonly owner: () => KafkaCluster | undefined;
}

/** What is done to make the surroundings of brokers what a KafkaCluster says. */
export function clusterSteps(tools: ClusterTools): readonly Step<ClusterRun>[] {
  const { api, keeper } = tools;
  return [
    { name: "see whose namespace it is", run: ({ object }) => ownNamespace(tools, object) },
    { name: "create the KafkaClusterAssignments", run: (run) => createAssignments(api, run) },
    { name: "keep the Services", run: (run) => keepForListeners(keeper, run, services) },
    { name: "keep the TLSRoutes", run: (run) => keepForListeners(keeper, run, routes) },
    { name: "find out the addresses", run: (run) => findAddresses(api, run) },
    { name: "tell the brokers their addresses", run: (run) => tellAddresses(tools, run) },
    { name: "keep the certificate", run: (run) => keepCertificate(tools, run) },
    { name: "publish the authority", run: (run) => publishAuthority(tools, run) },
  ];
}

async function ownNamespace({ owner }: ClusterTools, { metadata }: KafkaCluster): Promise<Refusal | undefined> {
  const first = owner();
  return first === undefined || first.metadata.name === metadata.name ? undefined : namespaceTaken(first);
}

async function keep(
  { keeper }: ClusterTools,
  cluster: KafkaCluster,
  resources: readonly Resource[],
  objects: readonly DesiredObject[],
  missing: Refusal,
): Promise<Refusal | undefined> {
  try {
    for (const object of objects) await keeper.apply(object);
  } catch (error) {
    if (error instanceof ResourceMissing) return missing;
    throw error;
  }
  await keeper.prune(resources, cluster, new Set(objects.map(({ object }) => object.metadata.name)));
  return undefined;
}

async function findAddresses(api: KubernetesApi, run: ClusterRun): Promise<undefined> {
  const found = await servicesOf(api, run.object);
  run.addresses = run.object.spec.listeners.map((listener) => listenerAddresses(run.object, listener, found));
  const waiting = run.addresses.flatMap(({ name, pending }) => (run.refused.has(name) ? [] : pending));
  if (waiting.length > 0) run.pending.push(`Services without an address yet: ${waiting.join(", ")}`);
}

async function tellAddresses({ addresses }: ClusterTools, run: ClusterRun): Promise<undefined> {
  const external = new Set(run.object.spec.listeners.filter(isExternal).map(({ name }) => name));
  const known = (run.addresses ?? []).filter(({ name, brokers }) => external.has(name) && brokers.length > 0);
  await addresses.write(
    known.map(({ name, brokers }) => ({
      name,
      brokers: brokers.map(({ nodeId, host, port }) => ({ nodeId, host, port })),
    })),
  );
}

async function keepCertificate(tools: ClusterTools, run: ClusterRun): Promise<Refusal | undefined> {
  const certificates = brokerCertificate(run.object, run.addresses ?? []);
  const taken = await tools.keeper.taken([CERTIFICATES], run.object, certificates);
  if (taken.length > 0) return nameTaken({ resources: [CERTIFICATES] }, taken);
  const refusal = await keep(tools, run.object, [CERTIFICATES], certificates, noCertManager);
  if (refusal === undefined) await awaitCertificates(tools.api, run, certificates);
  return refusal;
}

/** Clients learn whom to trust from a Secret that has nothing else in it. */
async function publishAuthority(tools: ClusterTools, run: ClusterRun): Promise<Refusal | undefined> {
  const { object: cluster } = run;
  const source = brokerSecretName(cluster);
  const brokers = source === undefined ? undefined : await secretOf(tools.api, cluster, source);
  noteCertificate(run, brokers, tools.clock.now());
  // A Secret that is replaced is away for a while: whom clients trust stays until there is another.
  if (source !== undefined && brokers === undefined) return undefined;
  const objects = clusterAuthority(cluster, brokers);
  const name = clusterAuthorityName(cluster.metadata.name);
  const present = objects.length === 0 ? undefined : await secretOf(tools.api, cluster, name);
  if (present !== undefined && !isOwnedBy(present, cluster)) return foreignAuthority(name);
  return keep(tools, cluster, [SECRETS], objects, noSecrets);
}

function secretOf(
  api: KubernetesApi,
  { metadata: { namespace = "" } }: KafkaCluster,
  name: string,
): Promise<Secret | undefined> {
  return getIfThere(api, SECRETS, { name, namespace });
}

const noSecrets: Refusal = { reason: "Failed", message: "the API server does not know Secrets" };
const noServices: Refusal = { reason: "Failed", message: "the API server does not know Services" };
const noGatewayApi: Refusal = {
  reason: "GatewayApiMissing",
  message:
    "a listener of type tlsroute needs the Gateway API's TLSRoute, which this Kubernetes cluster has not got: install the Gateway API (experimental channel), or choose another type",
};
const services: ListenerNeeds = { resources: [SERVICES], model: listenerServices, missing: noServices };
const routes: ListenerNeeds = { resources: TLS_ROUTES, model: tlsRoutes, missing: noGatewayApi };
const noCertManager: Refusal = {
  reason: "CertManagerMissing",
  message:
    "spec.certificate needs cert-manager, which this Kubernetes cluster has not got: install it, or give the brokers a Secret of your own",
};

async function servicesOf(api: KubernetesApi, cluster: KafkaCluster): Promise<ReadonlyMap<string, Service>> {
  if (!cluster.spec.listeners.some(isExternal)) return new Map();
  const { namespace = "" } = cluster.metadata;
  const { items } = await api.list(SERVICES, { namespace });
  const ours = items.filter((service) => isMadeFor(service, cluster.metadata.name));
  return new Map(ours.map((service) => [service.metadata.name, service]));
}

/** Brokers cannot start without it, and what keeps it from being there is said by cert-manager. */
async function awaitCertificates(
  api: KubernetesApi,
  run: ClusterRun,
  certificates: readonly DesiredObject[],
): Promise<void> {
  for (const { object } of certificates) {
    const { name, namespace = "" } = object.metadata;
    const why = whyNotIssued(await api.get(CERTIFICATES, { name, namespace }));
    if (why !== undefined) run.pending.push(why);
  }
}
