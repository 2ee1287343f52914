import type { KubernetesObject, ObjectMeta, OwnerReference } from "@kaas/k8s";

/** Who sets the fields that the operator sets. */
export const FIELD_MANAGER = "kaas-operator";

export const MANAGED_BY_LABEL = "app.kubernetes.io/managed-by";
export const CLUSTER_LABEL = "kaas.rs/cluster";
/** Names the KafkaUser that a Secret was made for. */
export const USER_LABEL = "kaas.rs/user";

/** What every object that the operator makes is labelled with. */
export const managedLabels: Readonly<Record<string, string>> = {
  [MANAGED_BY_LABEL]: FIELD_MANAGER,
  "app.kubernetes.io/part-of": "kaas",
};

/**
 * Makes an object go with its owner. The owner's removal waits for nothing, so that no right to finalizers is needed and
 * nothing can get stuck.
 */
export function ownedBy(owner: KubernetesObject): OwnerReference {
  const { name, uid = "" } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: false };
}

/** Whether an object was made for this very owner. */
export function isOwnedBy(object: KubernetesObject, owner: { readonly metadata: Pick<ObjectMeta, "uid"> }): boolean {
  return object.metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) ?? false;
}

/** Whether an object was made for a cluster of the name: also for an earlier one, whose objects are taken over. */
export function isMadeFor({ metadata: { labels = {} } }: KubernetesObject, clusterName: string): boolean {
  return labels[MANAGED_BY_LABEL] === FIELD_MANAGER && labels[CLUSTER_LABEL] === clusterName;
}
