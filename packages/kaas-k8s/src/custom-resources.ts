import {
  API_GROUP,
  API_VERSION,
  type KafkaCluster,
  type KafkaClusterAssignments,
  type KafkaTopic,
  type KafkaUser,
} from "@kaas/operator-api";
import type { KubernetesObject } from "./api/kubernetes-object.js";
import type { Resource } from "./api/resource.js";

const custom = <T extends KubernetesObject>(kind: string, plural: string): Resource<T> => ({
  group: API_GROUP,
  version: API_VERSION,
  kind,
  plural,
  isNamespaced: true,
});

/** The topics of a cluster, one resource each (`kafkatopics.kaas.rs`). */
export const KAFKA_TOPICS: Resource<KafkaTopic> = custom("KafkaTopic", "kafkatopics");
/** The users of a cluster, with their ACLs and quotas (`kafkausers.kaas.rs`). */
export const KAFKA_USERS: Resource<KafkaUser> = custom("KafkaUser", "kafkausers");
/** Clusters: their listeners, and how those are reached (`kafkaclusters.kaas.rs`). */
export const KAFKA_CLUSTERS: Resource<KafkaCluster> = custom("KafkaCluster", "kafkaclusters");
/** Copies of assignments, for people and dashboards (`kafkaclusterassignments.kaas.rs`). */
export const KAFKA_CLUSTER_ASSIGNMENTS: Resource<KafkaClusterAssignments> = custom(
  "KafkaClusterAssignments",
  "kafkaclusterassignments",
);
