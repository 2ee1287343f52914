import { isStatus, type KubernetesApi } from "@kaas/k8s";
import { type KafkaUser, usernameOf } from "@kaas/operator-api";
import type { CredentialsContent, CredentialsFile } from "@kaas/storage";
import { FIELD_MANAGER, MANAGED_BY_LABEL, USER_LABEL } from "../kubernetes/ownership.js";
import { SECRETS } from "../kubernetes/resources.js";
import type { AclKeeper } from "../users/acl-keeper.js";

/** What users are to have who still have a KafkaUser. Quotas that are no single user's are not the operator's. */
export function withoutOrphans(content: CredentialsContent, users: readonly KafkaUser[]): CredentialsContent {
  const known = new Set(users.map(usernameOf));
  return {
    users: content.users.filter(({ name }) => known.has(name)),
    quotas: content.quotas.filter(({ entity: { user, clientId, ip } }) => {
      const isOneUsers = typeof user === "string" && clientId === undefined && ip === undefined;
      return !isOneUsers || known.has(user);
    }),
  };
}

/** Takes away what users have who have no KafkaUser. `users` is asked when the file is changed. */
export async function sweepUsers(
  users: () => readonly KafkaUser[],
  { credentials, acls }: { readonly credentials: CredentialsFile; readonly acls: AclKeeper },
): Promise<void> {
  await acls.restore();
  await credentials.update((content) => withoutOrphans(content, users()));
}

/** Removes Secrets that were made for users that are gone, and that do not go by themselves. */
export async function sweepSecrets(
  users: () => readonly KafkaUser[],
  api: KubernetesApi,
  namespace: string,
): Promise<void> {
  const { items } = await api.list(SECRETS, {
    namespace,
    labelSelector: `${MANAGED_BY_LABEL}=${FIELD_MANAGER},${USER_LABEL}`,
  });
  for (const { metadata } of items) {
    const user = metadata.labels?.[USER_LABEL];
    if (users().some((one) => one.metadata.name === user)) continue;
    try {
      await api.delete(
        SECRETS,
        { name: metadata.name, namespace },
        metadata.uid === undefined ? {} : { uid: metadata.uid },
      );
    } catch (error) {
      if (!isStatus(error, 404) && !isStatus(error, 409)) throw error;
    }
  }
}
