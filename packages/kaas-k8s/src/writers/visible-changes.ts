import {
  type AclAdmin,
  type AclBinding,
  type Acls,
  type Clock,
  type Credentials,
  ErrorCode,
  type QuotaAlteration,
  type QuotaEntity,
  type QuotaKey,
  type ScramAlteration,
  type UserAdmin,
  type UserChangeRefusal,
} from "@kaas/core";
import { aclRefusal } from "./user-writer.js";

/** How long the operator may take with a change: clients wait 30 s by default, and the API server has had its part. */
const VISIBLE_MS_MAX = 15_000;

/** Who makes changes, and where they show. */
export interface VisibleChangesOptions {
  /** Who stores the changes in Kubernetes. */
  readonly users: UserAdmin;
  readonly acls: AclAdmin;
  /** What this broker goes by. */
  readonly credentials: Credentials;
  readonly bindings: Acls;
  readonly clock: Clock;
}

/**
 * Changes of users that are carried out by the operator: a call resolves when this broker goes by the change. If that
 * takes too long, the client is told that it may try again, and why.
 */
export function visibleChanges(options: VisibleChangesOptions): { readonly users: UserAdmin; readonly acls: AclAdmin } {
  const { users, acls, credentials, bindings, clock } = options;
  return {
    users: {
      async alterScram(alteration) {
        const refusal = await users.alterScram(alteration);
        return refusal ?? (await visible(credentials, () => hasScram(credentials, alteration), VISIBLE_MS_MAX, clock));
      },
      async alterQuotas(alteration) {
        const refusal = await users.alterQuotas(alteration);
        return refusal ?? (await visible(credentials, () => hasQuotas(credentials, alteration), VISIBLE_MS_MAX, clock));
      },
    },
    acls: {
      // Without a call: the writer is in another thread, and what a KafkaUser can say is known here too.
      refusalOf: aclRefusal,
      async changeAcls(change, timeoutMs) {
        const began = clock.monotonic();
        const refusal = await acls.changeAcls(change, timeoutMs);
        if (refusal !== undefined) return refusal;
        const leftMs = Math.min(VISIBLE_MS_MAX, timeoutMs - (clock.monotonic() - began));
        const isDone = (): boolean => hasAcls(bindings, change.added, change.removed);
        return await visible(bindings, isDone, leftMs, clock);
      },
    },
  };
}

async function visible(
  source: { onChange(callback: () => void): () => void },
  isVisible: () => boolean,
  timeoutMs: number,
  clock: Clock,
): Promise<UserChangeRefusal | undefined> {
  if (isVisible()) return undefined;
  return await new Promise((resolve) => {
    const end = (refusal: UserChangeRefusal | undefined): void => {
      timer.cancel();
      forget();
      resolve(refusal);
    };
    const timer = clock.schedule(timeoutMs, () =>
      end({
        errorCode: ErrorCode.REQUEST_TIMED_OUT,
        message: "the change is stored in Kubernetes, but the operator has not carried it out yet",
      }),
    );
    const forget = source.onChange(() => {
      if (isVisible()) end(undefined);
    });
  });
}

function hasScram(credentials: Credentials, { user, upserts, deletions }: ScramAlteration): boolean {
  const present = credentials.scram(user);
  const isThere = [...upserts].every(([mechanism, { storedKey }]) => {
    const key = present?.get(mechanism)?.storedKey;
    return key !== undefined && Buffer.from(storedKey).equals(key);
  });
  return isThere && [...deletions].every((mechanism) => upserts.has(mechanism) || present?.has(mechanism) !== true);
}

function hasQuotas(credentials: Credentials, { entity, limits }: QuotaAlteration): boolean {
  const present = credentials.quotas().find((quota) => isSameEntity(quota.entity, entity))?.limits ?? {};
  return (Object.entries(limits) as [QuotaKey, number | null][]).every(
    ([key, value]) => (present[key] ?? null) === value,
  );
}

const isSameEntity = (a: QuotaEntity, b: QuotaEntity): boolean =>
  a.user === b.user && a.clientId === b.clientId && a.ip === b.ip;

function hasAcls(acls: Acls, added: readonly AclBinding[], removed: readonly AclBinding[]): boolean {
  const present = new Set(acls.bindings().map(keyOf));
  const kept = new Set(added.map(keyOf));
  return (
    added.every((acl) => present.has(keyOf(acl))) &&
    removed.map(keyOf).every((key) => kept.has(key) || !present.has(key))
  );
}

const keyOf = (acl: AclBinding): string =>
  JSON.stringify([
    acl.resourceType,
    acl.patternType,
    acl.resourceName,
    acl.principal,
    acl.host,
    acl.operation,
    acl.permission,
  ]);
