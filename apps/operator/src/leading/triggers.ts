import type { KubernetesObject } from "@kaas/k8s";
import { type KafkaCluster, type KafkaUser, MIGRATE_TO_ANNOTATION } from "@kaas/operator-api";
import { brokerSecretName } from "../clusters/broker-certificate.js";
import { clusterAuthorityName } from "../clusters/cluster-authority.js";
import { userCertificateName } from "../users/user-certificate.js";
import { userSecretName } from "../users/user-secret.js";

/** Whether something changed that people change: not what the operator itself has written into the status. */
export function isWanted(object: KubernetesObject, before: KubernetesObject | undefined): boolean {
  if (before === undefined) return true;
  const { generation, deletionTimestamp, annotations } = object.metadata;
  return (
    before.metadata.generation !== generation ||
    before.metadata.deletionTimestamp !== deletionTimestamp ||
    before.metadata.annotations?.[MIGRATE_TO_ANNOTATION] !== annotations?.[MIGRATE_TO_ANNOTATION]
  );
}

/** The users who have something to do with a Secret. */
export function usersOfSecret(secret: string, users: readonly KafkaUser[]): readonly KafkaUser[] {
  return users.filter((user) => {
    const reference = user.spec.authentication?.password?.valueFrom.secretKeyRef.name;
    return [reference, userSecretName(user), userCertificateName(user)].includes(secret);
  });
}

/** Whether the surroundings of a cluster have something to do with a Secret. */
export function isSecretOf(secret: string, cluster: KafkaCluster): boolean {
  return brokerSecretName(cluster) === secret || clusterAuthorityName(cluster.metadata.name) === secret;
}

/** What topics take from their cluster. */
export function topicsView(cluster: KafkaCluster | undefined): string {
  return JSON.stringify([cluster?.metadata.uid, cluster?.spec.volumes]);
}

/** What users take from their cluster. */
export function usersView(cluster: KafkaCluster | undefined): string {
  const servers = cluster?.status?.listeners?.map(({ name, bootstrapServers }) => [name, bootstrapServers]);
  const { clientsCa, listeners, certificate, certificateSecret } = cluster?.spec ?? {};
  return JSON.stringify([clientsCa, listeners, certificate, certificateSecret, servers]);
}
