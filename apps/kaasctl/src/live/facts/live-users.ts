import { type AclBinding, type ClientQuota, ErrorCode, parsePrincipal } from "@kaas/core";
import { entityOf, isQuotaEntityType, isQuotaKey, scramMechanismOf } from "@kaas/core/internal";
import type { UserMechanism, UserView } from "@kaas/storage";
import type { KafkaClient } from "../../client/kafka-client.js";
import { refusal } from "../../client/refusal.js";
import type { LiveReport } from "../live-report.js";
import { liveAcls } from "./live-acls.js";

const EVERYBODY = "*";

/**
 * All users that can log in by password, have quotas of their own, or are named by ACLs, by name.
 *
 * @throws ClusterError when the user who asks may not see them
 */
export async function liveUsers(client: KafkaClient, report: LiveReport): Promise<readonly UserView[]> {
  const [mechanisms, quotas, acls] = await Promise.all([
    scramUsers(client),
    userQuotas(client),
    liveAcls(client, report),
  ]);
  const names = new Set([
    ...mechanisms.keys(),
    ...quotas.flatMap(({ entity: { user } }) => (typeof user === "string" ? [user] : [])),
    ...acls.flatMap((acl) => userOf(acl) ?? []),
  ]);
  return [...names].sort().map((name) => ({
    name,
    mechanisms: mechanisms.get(name) ?? [],
    quotas: quotas.filter(({ entity }) => entity.user === name),
    acls: acls.filter((acl) => userOf(acl) === name),
  }));
}

function userOf({ principal }: AclBinding): string | undefined {
  const { type, name } = parsePrincipal(principal) ?? {};
  return type === "User" && name !== EVERYBODY ? name : undefined;
}

async function scramUsers(client: KafkaClient): Promise<ReadonlyMap<string, readonly UserMechanism[]>> {
  const { errorCode, errorMessage, results } = await client.call("DescribeUserScramCredentials", { users: null });
  if (errorCode !== ErrorCode.NONE) throw refusal("users are not shown", errorCode, errorMessage);
  return new Map(
    results.map(({ user, credentialInfos }) => [
      user,
      credentialInfos.flatMap(({ mechanism, iterations }) => {
        const name = scramMechanismOf.get(mechanism);
        return name === undefined ? [] : [{ mechanism: name, iterations }];
      }),
    ]),
  );
}

/** The quotas of the cluster, as far as kaasctl knows what they are about. */
async function userQuotas(client: KafkaClient): Promise<readonly ClientQuota[]> {
  const { errorCode, errorMessage, entries } = await client.call("DescribeClientQuotas", {
    components: [],
    strict: false,
  });
  if (errorCode !== ErrorCode.NONE) throw refusal("quotas are not shown", errorCode, errorMessage);
  return (entries ?? [])
    .filter(({ entity }) => entity.every(({ entityType }) => isQuotaEntityType(entityType)))
    .map(({ entity, values }) => ({
      entity: entityOf(entity),
      limits: Object.fromEntries(values.filter(({ key }) => isQuotaKey(key)).map(({ key, value }) => [key, value])),
    }));
}
