import type { ClientQuota, Random, ScramMechanism } from "@kaas/core";
import type { DocumentTypes, ScramRecord, UserRecord } from "../documents/document-types.js";
import type { DurableFiles } from "../documents/durable-files.js";
import { GenerationFile } from "./generation-file.js";

/** What `credentials.json` says, without its generation and its secret. */
export interface CredentialsContent {
  readonly users: readonly UserRecord[];
  readonly quotas: readonly ClientQuota[];
}

/** What `credentials.json` says. */
export type CredentialsDocument = DocumentTypes["credentials"];

/**
 * `credentials.json`: the users that can log in by password, and the quotas. Its writer is the operator, or a broker that
 * is alone.
 *
 * ```
 * {"format":1,"generation":7,"decoySecret":"…",
 *  "users":[{"name":"alice","scram":{"SCRAM-SHA-512":{"salt":"…","iterations":8192,"storedKey":"…","serverKey":"…"}}}],
 *  "quotas":[{"entity":{"user":"alice","clientId":null},"limits":{"producer_byte_rate":1048576}}]}
 * ```
 */
export class CredentialsFile extends GenerationFile<"credentials"> {
  readonly #random: Random;

  /** @param directory the cluster directory, `<data>/__cluster` */
  constructor(files: DurableFiles, directory: string) {
    super("credentials", files, directory);
    this.#random = files.random;
  }

  /**
   * Replaces what is there by what `change` makes of it; durable when it resolves. Calls come one after the other. What
   * changes nothing writes nothing.
   *
   * @param generationMin the generation that a reader is known to have, which the new one must exceed
   */
  update(change: (content: CredentialsContent) => CredentialsContent, generationMin = 0): Promise<CredentialsDocument> {
    return this.replace((before) => {
      const { users, quotas } = change({ users: before?.users ?? [], quotas: before?.quotas ?? [] });
      const decoySecret = before?.decoySecret ?? newDecoySecret(this.#random).toString("base64");
      return { decoySecret, users: [...users].sort(byName), quotas };
    }, generationMin);
  }
}

/** Random bytes that answers to unknown users are made from. */
export function newDecoySecret(random: Random): Buffer {
  return Buffer.from(`${random.uuid()}${random.uuid()}`, "base64url");
}

/** Content in which a user has exactly these credentials; one without any is not there. */
export function withUser(
  content: CredentialsContent,
  name: string,
  scram: { readonly [Mechanism in ScramMechanism]?: ScramRecord },
): CredentialsContent {
  const others = content.users.filter((user) => user.name !== name);
  const isThere = Object.keys(scram).length > 0;
  return { ...content, users: isThere ? [...others, { name, scram }] : others };
}

/** Content in which an entity has exactly these limits; one without any is not there. */
export function withQuota(content: CredentialsContent, quota: ClientQuota): CredentialsContent {
  const key = entityKey(quota);
  const others = content.quotas.filter((other) => entityKey(other) !== key);
  const isThere = Object.keys(quota.limits).length > 0;
  return { ...content, quotas: isThere ? [...others, quota] : others };
}

/** Whom a quota is for, as one text. */
function entityKey({ entity: { user, clientId, ip } }: Pick<ClientQuota, "entity">): string {
  const part = (value: string | null | undefined): readonly unknown[] => (value === undefined ? [] : [value]);
  return JSON.stringify([part(user), part(clientId), part(ip)]);
}

function byName(one: UserRecord, other: UserRecord): number {
  return one.name < other.name ? -1 : 1;
}
