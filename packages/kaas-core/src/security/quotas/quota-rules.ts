import { plainHost } from "../plain-host.js";
import type { ClientQuota, QuotaEntity, QuotaKey } from "../../ports/credentials.js";

/** A limit, and who shares it. */
export interface AppliedLimit {
  readonly limit: number;
  /** Those for whom this is the same count together; the limit alone does not say. */
  readonly sharedBy: string;
}

/** Stands for "absent", "the default" and a name. */
type Part = string;

const ABSENT: Part = "-";
const DEFAULT: Part = "*";

/** The quotas of a cluster, laid out for look-ups. */
export class QuotaRules {
  readonly #limits = new Map<QuotaKey, Map<string, number>>();

  constructor(quotas: readonly ClientQuota[]) {
    for (const { entity, limits } of quotas) {
      for (const [key, limit] of Object.entries(limits) as [QuotaKey, number][]) {
        const byEntity = this.#limits.get(key) ?? new Map<string, number>();
        this.#limits.set(key, byEntity);
        byEntity.set(keyOf(entity), limit);
      }
    }
  }

  /** Whether anybody is limited in this at all. */
  has(key: QuotaKey): boolean {
    return this.#limits.has(key);
  }

  /**
   * The limit of a client: the first of Kafka's eight levels that has one.
   *
   * ```
   * user and client id      the user's default client     the user
   * any user's client id    any user's default client     any user
   * the client id           the default client
   * ```
   *
   * Who is limited by user and client id has a count of his own; else all clients of the user, or all users of the
   * client id, share one.
   */
  clientLimit(key: QuotaKey, user: string, clientId: string): AppliedLimit | undefined {
    const limits = this.#limits.get(key);
    if (limits === undefined) return undefined;
    const [userPart, clientPart] = [named(user), named(clientId)];
    const levels: readonly (readonly [user: Part, clientId: Part])[] = [
      [userPart, clientPart],
      [userPart, DEFAULT],
      [userPart, ABSENT],
      [DEFAULT, clientPart],
      [DEFAULT, DEFAULT],
      [DEFAULT, ABSENT],
      [ABSENT, clientPart],
      [ABSENT, DEFAULT],
    ];
    for (const [byUser, byClient] of levels) {
      const limit = limits.get(joined(byUser, byClient, ABSENT));
      if (limit === undefined) continue;
      const sharedBy = joined(byUser === ABSENT ? ABSENT : userPart, byClient === ABSENT ? ABSENT : clientPart, ABSENT);
      return { limit, sharedBy };
    }
    return undefined;
  }

  /** The limit of an address. */
  addressLimit(key: QuotaKey, address: string): AppliedLimit | undefined {
    const limits = this.#limits.get(key);
    const own = joined(ABSENT, ABSENT, named(plainHost(address)));
    const limit = limits?.get(own) ?? limits?.get(joined(ABSENT, ABSENT, DEFAULT));
    return limit === undefined ? undefined : { limit, sharedBy: own };
  }
}

function named(name: string): Part {
  return `=${name}`;
}

function keyOf({ user, clientId, ip }: QuotaEntity): string {
  return joined(partOf(user), partOf(clientId), partOf(typeof ip === "string" ? plainHost(ip) : ip));
}

function partOf(name: string | null | undefined): Part {
  if (name === undefined) return ABSENT;
  return name === null ? DEFAULT : named(name);
}

/** Lengths keep parts apart, whatever characters names have. */
function joined(user: Part, clientId: Part, ip: Part): string {
  return `${user.length}:${clientId.length}:${user}${clientId}${ip}`;
}
