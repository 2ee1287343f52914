import {
  type AclAdmin,
  type AclBinding,
  type AclChange,
  type AclChangeRefusal,
  type Clock,
  ErrorCode,
  KaasError,
  type KaasErrorCode,
  type QuotaAlteration,
  type ScramAlteration,
  type UserAdmin,
  type UserChangeRefusal,
} from "@kaas/core";
import { type KafkaUser, type KafkaUserAcl, usernameOf } from "@kaas/operator-api";
import { getIfThere } from "../api/get-if-there.js";
import type { KubernetesApi, Patch } from "../api/kubernetes-api.js";
import { isStatus } from "../api/kubernetes-error.js";
import { apiVersionOf } from "../api/resource.js";
import { KAFKA_USERS } from "../custom-resources.js";
import { aclEntryOf, changedEntries } from "./acl-entries.js";
import { cannotBeAKafkaUser, principalObject } from "./principal-object.js";
import { alteredAuthentication } from "./scram-authentication.js";
import { TimeLeft } from "./time-left.js";
import { quotaMerge } from "./user-quotas.js";

const FIELD_MANAGER = "kaas-admin";
/** ACLs are applied: what a manager applies is all that it wants, so they have one of their own. */
const ACLS_MANAGER = "kaas-admin-acls";

/** For a change: clients wait 30 s by default, and the operator has to do its part in that time. */
const TIMEOUT_MS = 10_000;

/** Attempts to change what somebody else changes at the same time. */
const ATTEMPTS_MAX = 5;

/** Where KafkaUsers are changed. */
export interface UserWriterOptions {
  readonly api: KubernetesApi;
  readonly namespace: string;
  readonly clock: Clock;
}

/** What the API server says, and what a client is told. */
const REFUSALS: Readonly<Partial<Record<KaasErrorCode, ErrorCode>>> = {
  KAAS_KUBERNETES_UNREACHABLE: ErrorCode.REQUEST_TIMED_OUT,
  KAAS_KUBERNETES_CONFLICT: ErrorCode.REQUEST_TIMED_OUT,
  KAAS_KUBERNETES_NOT_FOUND: ErrorCode.REQUEST_TIMED_OUT,
  KAAS_KUBERNETES_FORBIDDEN: ErrorCode.POLICY_VIOLATION,
  KAAS_KUBERNETES_REFUSED: ErrorCode.POLICY_VIOLATION,
};

/** What is to be done about one KafkaUser. */
type Plan = Patch | UserChangeRefusal | "none";

/**
 * Changes users by changing their KafkaUsers, as a person would; a user that has none gets one, if this process may create
 * it. A call resolves when the API server has stored the change; the operator carries it out afterwards. What a KafkaUser
 * cannot say is refused with `POLICY_VIOLATION`, before anything is changed; an API server that does not answer in time
 * with `REQUEST_TIMED_OUT`.
 */
export class KafkaUserWriter implements UserAdmin, AclAdmin {
  readonly #options: UserWriterOptions;

  constructor(options: UserWriterOptions) {
    this.#options = options;
  }

  async alterScram(alteration: ScramAlteration): Promise<UserChangeRefusal | undefined> {
    const { user } = alteration;
    return await this.#change(user, this.#timeLeft(TIMEOUT_MS), (present) => {
      const change = alteredAuthentication(present?.spec.authentication, alteration);
      if (change === "none") return "none";
      if ("refusal" in change) return refuse(change.refusal);
      // As a merge, so that a password that was set before goes.
      const { authentication } = change;
      const value = authentication === null ? null : { password: null, ...authentication };
      return mergeOf(present, { authentication: value });
    });
  }

  async alterQuotas(alteration: QuotaAlteration): Promise<UserChangeRefusal | undefined> {
    const merge = quotaMerge(alteration);
    if ("refusal" in merge) return refuse(merge.refusal);
    return await this.#change(merge.user, this.#timeLeft(TIMEOUT_MS), (present) => {
      const quotas = present?.spec.quotas ?? {};
      const changed = Object.entries(merge.quotas).filter(
        ([field, value]) => (quotas[field as keyof typeof quotas] ?? null) !== value,
      );
      return changed.length === 0 ? "none" : mergeOf(present, { quotas: Object.fromEntries(changed) });
    });
  }

  async changeAcls(change: AclChange, timeoutMs: number): Promise<AclChangeRefusal | undefined> {
    const byUser = new Map<string, UserAcls>();
    for (const [kind, bindings] of [["added", change.added] as const, ["removed", change.removed] as const]) {
      for (const binding of bindings) {
        const refusal = addTo(byUser, kind, binding);
        if (refusal !== undefined) return refusal;
      }
    }
    const left = this.#timeLeft(Math.min(timeoutMs, TIMEOUT_MS));
    for (const [user, { added, removed }] of byUser) {
      const refusal = await this.#change(user, left, (present) => {
        const entries = changedEntries(present?.spec.authorization?.acls ?? [], added, removed);
        return entries === undefined ? "none" : this.#aclsOf(user, present, entries);
      });
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  async #change(
    username: string,
    left: TimeLeft,
    plan: (present: KafkaUser | undefined) => Plan,
  ): Promise<UserChangeRefusal | undefined> {
    try {
      return await this.#attempt(username, left, plan);
    } catch (error) {
      const errorCode = error instanceof KaasError ? REFUSALS[error.code] : undefined;
      if (!(error instanceof KaasError) || errorCode === undefined) throw error;
      return { errorCode, message: error.message };
    }
  }

  /** Reads a KafkaUser, plans, and writes; again when somebody else has changed it in between. */
  async #attempt(
    username: string,
    left: TimeLeft,
    plan: (present: KafkaUser | undefined) => Plan,
  ): Promise<UserChangeRefusal | undefined> {
    const principal = principalObject(username);
    if (principal === undefined) return refuse(cannotBeAKafkaUser(username));
    for (let attempt = 1; ; attempt++) {
      const present = await this.#get(principal.objectName, left);
      if (present !== undefined && usernameOf(present) !== username) {
        return refuse(`KafkaUser ${principal.objectName} stands for '${usernameOf(present)}', not for '${username}'`);
      }
      const planned = plan(present);
      if (planned === "none") return undefined;
      if ("errorCode" in planned) return planned;
      try {
        await this.#write(username, present, planned, left);
        return undefined;
      } catch (error) {
        if (!isStatus(error, 409) || attempt === ATTEMPTS_MAX) throw error;
      }
    }
  }

  async #write(username: string, present: KafkaUser | undefined, patch: Patch, left: TimeLeft): Promise<void> {
    const { api } = this.#options;
    const options = { fieldManager: FIELD_MANAGER, ...left.options };
    if (present !== undefined) {
      await api.patch(KAFKA_USERS, this.#ref(present.metadata.name), patch, options);
      return;
    }
    const { spec } = patch.object as { spec: KafkaUser["spec"] };
    await api.create(KAFKA_USERS, this.#newUser(username, withoutNulls(spec) as KafkaUser["spec"]), options);
  }

  #aclsOf(username: string, present: KafkaUser | undefined, acls: readonly KafkaUserAcl[]): Patch {
    const { uid, resourceVersion } = present?.metadata ?? {};
    const { spec: _, ...user } = this.#newUser(username, {});
    const object = {
      ...user,
      // Written over exactly what was read: the list is replaced as a whole.
      metadata: { ...user.metadata, uid, resourceVersion },
      spec: { authorization: { type: "simple", acls } },
    };
    return { type: "apply", object, fieldManager: ACLS_MANAGER, isForced: true };
  }

  /** A user who logs in by certificate is told from one who does not by what its KafkaUser says about that. */
  #newUser(username: string, spec: KafkaUser["spec"]): KafkaUser {
    const principal = principalObject(username);
    const authentication =
      principal?.isByCertificate === true ? { authentication: { type: "tls-external" } as const } : {};
    return {
      apiVersion: apiVersionOf(KAFKA_USERS) as KafkaUser["apiVersion"],
      kind: "KafkaUser",
      metadata: this.#ref(principal?.objectName ?? username),
      spec: { ...authentication, ...spec },
    };
  }

  #get(objectName: string, left: TimeLeft): Promise<KafkaUser | undefined> {
    return getIfThere(this.#options.api, KAFKA_USERS, this.#ref(objectName), left.options);
  }

  #ref(name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#options.namespace, name };
  }

  #timeLeft(timeoutMs: number): TimeLeft {
    return new TimeLeft(this.#options.clock, timeoutMs);
  }
}

const USER_PREFIX = "User:";

/** Why a KafkaUser cannot have an ACL, whatever it has. */
export function aclRefusal(binding: AclBinding): AclChangeRefusal | undefined {
  const entry = aclOf(binding);
  return "errorCode" in entry ? entry : undefined;
}

/** An ACL as a KafkaUser has it, or why none can. */
function aclOf(binding: AclBinding): KafkaUserAcl | AclChangeRefusal {
  const { principal, operation } = binding;
  if (!principal.startsWith(USER_PREFIX))
    return refuse(`users of this cluster are KafkaUsers, and ${principal} is none`);
  const username = principal.slice(USER_PREFIX.length);
  if (principalObject(username) === undefined) return refuse(cannotBeAKafkaUser(username));
  return aclEntryOf(binding) ?? refuse(`a KafkaUser has no ACLs for the operation ${operation}`);
}

interface UserAcls {
  readonly added: KafkaUserAcl[];
  readonly removed: KafkaUserAcl[];
}

function addTo(byUser: Map<string, UserAcls>, kind: keyof UserAcls, binding: AclBinding): AclChangeRefusal | undefined {
  const entry = aclOf(binding);
  if ("errorCode" in entry) return entry;
  const username = binding.principal.slice(USER_PREFIX.length);
  const acls = byUser.get(username) ?? { added: [], removed: [] };
  byUser.set(username, acls);
  acls[kind].push(entry);
  return undefined;
}

/** A merge over exactly what was read. */
function mergeOf(present: KafkaUser | undefined, spec: object): Patch {
  const metadata = present === undefined ? {} : { metadata: { resourceVersion: present.metadata.resourceVersion } };
  return { type: "merge", object: { ...metadata, spec } };
}

/** A merge patch as the object that it makes where there is none. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutNulls(inner)]));
}

const refuse = (message: string): UserChangeRefusal => ({ errorCode: ErrorCode.POLICY_VIOLATION, message });
