import type { ClientQuota, ScramMechanism } from "@kaas/core";
import type { DocumentTypes, ScramRecord, UserRecord } from "../documents/document-types.js";
import { decodeDocument, encodeDocument } from "../documents/documents.js";
import { type DurableFiles, replaceFile } from "../documents/durable-files.js";

/** The name of the file in the cluster directory. */
export const CREDENTIALS_NAME = "credentials.json";

/** What `credentials.json` says, without its generation and its secret. */
export interface CredentialsContent {
  readonly users: readonly UserRecord[];
  readonly quotas: readonly ClientQuota[];
}

/** What `credentials.json` says. */
export type CredentialsDocument = DocumentTypes["credentials"];

/**
 * `credentials.json`: the users that can log in by password, and the quotas. It has one writer, the operator or a broker
 * that is alone, and is replaced as a whole; each version has a higher generation than the one before.
 *
 * ```
 * {"format":1,"generation":7,"decoySecret":"…",
 *  "users":[{"name":"alice","scram":{"SCRAM-SHA-512":{"salt":"…","iterations":8192,"storedKey":"…","serverKey":"…"}}}],
 *  "quotas":[{"entity":{"user":"alice","clientId":null},"limits":{"producer_byte_rate":1048576}}]}
 * ```
 */
export class CredentialsFile {
  readonly #files: DurableFiles;
  readonly #directory: string;
  #last: Promise<unknown> = Promise.resolve();

  /** @param directory the cluster directory, `<data>/__cluster` */
  constructor(files: DurableFiles, directory: string) {
    this.#files = files;
    this.#directory = directory;
  }

  get path(): string {
    return `${this.#directory}/${CREDENTIALS_NAME}`;
  }

  /** The bytes as they are on the volume at this moment; undefined when there is no such file. */
  async readBytes(): Promise<Buffer | undefined> {
    // A directory that is opened anew says what is there; a cache may go on without.
    const entries = await this.#files.fileSystem.list(this.#directory);
    if (!entries.some(({ name }) => name === CREDENTIALS_NAME)) return undefined;
    return this.#files.fileSystem.readFile(this.path);
  }

  /** @throws KaasError KAAS_VOLUME_INVALID naming the file and what is wrong with it, never what it holds. */
  decode(bytes: Buffer): Promise<CredentialsDocument> {
    return decodeDocument(bytes, this.path, "credentials");
  }

  /** What the file says; undefined when there is none. */
  async read(): Promise<CredentialsDocument | undefined> {
    const bytes = await this.readBytes();
    return bytes === undefined ? undefined : this.decode(bytes);
  }

  /**
   * Replaces what is there by what `change` makes of it; durable when it resolves. Calls come one after the other. What
   * changes nothing writes nothing.
   *
   * @param generationMin the generation that a reader is known to have, which the new one must exceed
   */
  update(change: (content: CredentialsContent) => CredentialsContent, generationMin = 0): Promise<CredentialsDocument> {
    const updating = this.#last.then(() => this.#update(change, generationMin));
    this.#last = updating.catch(() => undefined);
    return updating;
  }

  async #update(
    change: (content: CredentialsContent) => CredentialsContent,
    generationMin: number,
  ): Promise<CredentialsDocument> {
    const before = (await this.read()) ?? this.#none();
    const { users, quotas } = change({ users: before.users, quotas: before.quotas });
    const after = { ...before, users: [...users].sort(byName), quotas };
    const isSame = JSON.stringify(after) === JSON.stringify({ ...before, users: [...before.users].sort(byName) });
    if (isSame && before.generation > 0) return before;
    const written = { ...after, generation: Math.max(before.generation, generationMin) + 1 };
    const bytes = encodeDocument("credentials", written);
    // What no reader would take must not get there, whoever asked for it.
    await this.decode(bytes);
    await replaceFile(this.#files, this.#directory, CREDENTIALS_NAME, bytes);
    return written;
  }

  #none(): CredentialsDocument {
    const { random } = this.#files;
    const secret = Buffer.from(`${random.uuid()}${random.uuid()}`, "base64url");
    return { generation: 0, decoySecret: secret.toString("base64"), users: [], quotas: [] };
  }
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
