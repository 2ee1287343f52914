import type { KubernetesObject, Resource } from "@kaas/k8s";
import { apiVersionOf } from "@kaas/k8s";
import type { KafkaCluster } from "@kaas/operator-api";
import { CLUSTER_LABEL, managedLabels, ownedBy } from "../kubernetes/ownership.js";

/** An object that is to be there. */
export interface DesiredObject {
  /** The resource it is one of; of several, the first that the API server has. */
  readonly resources: readonly Resource[];
  /** Without `apiVersion`, which depends on the resource. */
  readonly object: Omit<KubernetesObject, "apiVersion">;
}

interface Parts {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly spec?: object;
  /** Of a Secret, by key, in base64. */
  readonly data?: Readonly<Record<string, string>>;
}

/** An object of a cluster, which goes with it. */
export function desired(
  cluster: KafkaCluster,
  resources: readonly [Resource, ...Resource[]],
  { name, labels, annotations, spec, data }: Parts,
): DesiredObject {
  const { namespace } = cluster.metadata;
  return {
    resources,
    object: {
      kind: resources[0].kind,
      metadata: {
        name,
        ...(namespace === undefined ? {} : { namespace }),
        labels: { ...labels, ...managedLabels, [CLUSTER_LABEL]: cluster.metadata.name },
        ...(annotations === undefined ? {} : { annotations }),
        ownerReferences: [ownedBy(cluster)],
      },
      ...(spec === undefined ? {} : { spec }),
      ...(data === undefined ? {} : { data }),
    },
  };
}

/** The object as one resource has it. */
export function asResource({ object }: DesiredObject, resource: Resource): KubernetesObject {
  return { ...object, apiVersion: apiVersionOf(resource) };
}
