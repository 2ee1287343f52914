import { getIfThere, isStatus, KAFKA_CLUSTER_ASSIGNMENTS, type KubernetesApi } from "@kaas/k8s";
import type { KafkaClusterAssignments } from "@kaas/operator-api";
import { managedLabels, ownedBy } from "../kubernetes/ownership.js";
import { isRefused } from "../kubernetes/refused.js";
import type { ClusterRun } from "./cluster-run.js";

/**
 * Makes the KafkaClusterAssignments of a cluster, once: its status is the controller's, and it is not for the operator to
 * change. It is there to be looked at, and nothing waits for it.
 */
export async function createAssignments(
  api: KubernetesApi,
  { object: cluster, pending }: ClusterRun,
): Promise<undefined> {
  const { name, namespace = "" } = cluster.metadata;
  const assignments: KafkaClusterAssignments = {
    apiVersion: "kaas.rs/v1alpha1",
    kind: "KafkaClusterAssignments",
    metadata: { name, namespace, labels: { ...managedLabels }, ownerReferences: [ownedBy(cluster)] },
  };
  try {
    if ((await getIfThere(api, KAFKA_CLUSTER_ASSIGNMENTS, { name, namespace })) !== undefined) return;
    await api.create(KAFKA_CLUSTER_ASSIGNMENTS, assignments);
  } catch (error) {
    if (isRefused(error)) pending.push(error.message);
    else if (!isStatus(error, 409)) throw error;
  }
}
