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

export const KAFKA_TOPICS: Resource<KafkaTopic> = custom("KafkaTopic", "kafkatopics");
export const KAFKA_USERS: Resource<KafkaUser> = custom("KafkaUser", "kafkausers");
export const KAFKA_CLUSTERS: Resource<KafkaCluster> = custom("KafkaCluster", "kafkaclusters");
export const KAFKA_CLUSTER_ASSIGNMENTS: Resource<KafkaClusterAssignments> = custom(
  "KafkaClusterAssignments",
  "kafkaclusterassignments",
);
