import type { AclBinding } from "@kaas/core";
import type { DocumentTypes } from "../documents/document-types.js";
import { decodeDocument, encodeDocument } from "../documents/documents.js";
import { type DurableFiles, replaceFile } from "../documents/durable-files.js";

/** The name of the file in the cluster directory. */
export const ACLS_NAME = "acls.json";

/** What `acls.json` says. */
export type AclsDocument = DocumentTypes["acls"];

/**
 * `acls.json`: all ACLs of the cluster. It has one writer, the operator or a broker that is alone, and is replaced as a
 * whole; each version has a higher generation than the one before.
 *
 * ```
 * {"format":1,"generation":7,
 *  "acls":[{"resourceType":"TOPIC","patternType":"PREFIXED","resourceName":"orders-","principal":"User:alice",
 *           "host":"*","operation":"READ","permission":"ALLOW"}]}
 * ```
 */
export class AclsFile {
  readonly #files: DurableFiles;
  readonly #directory: string;
  #last: Promise<unknown> = Promise.resolve();

  /** @param directory the cluster directory, `<data>/__cluster` */
  constructor(files: DurableFiles, directory: string) {
    this.#files = files;
    this.#directory = directory;
  }

  get path(): string {
    return `${this.#directory}/${ACLS_NAME}`;
  }

  /** The bytes as they are on the volume at this moment; undefined when there is no such file. */
  async readBytes(): Promise<Buffer | undefined> {
    // A directory that is opened anew says what is there; a cache may go on without.
    const entries = await this.#files.fileSystem.list(this.#directory);
    if (!entries.some(({ name }) => name === ACLS_NAME)) return undefined;
    return this.#files.fileSystem.readFile(this.path);
  }

  /** @throws KaasError KAAS_VOLUME_INVALID naming the file and what is wrong with it. */
  decode(bytes: Buffer): Promise<AclsDocument> {
    return decodeDocument(bytes, this.path, "acls");
  }

  /** What the file says; undefined when there is none. */
  async read(): Promise<AclsDocument | undefined> {
    const bytes = await this.readBytes();
    return bytes === undefined ? undefined : this.decode(bytes);
  }

  /**
   * Replaces what is there by what `change` makes of it, in a fixed order and without repetitions; durable when it
   * resolves. Calls come one after the other. What changes nothing writes nothing.
   *
   * @param generationMin the generation that a reader is known to have, which the new one must exceed
   */
  update(change: (acls: readonly AclBinding[]) => readonly AclBinding[], generationMin = 0): Promise<AclsDocument> {
    const updating = this.#last.then(() => this.#update(change, generationMin));
    this.#last = updating.catch(() => undefined);
    return updating;
  }

  async #update(
    change: (acls: readonly AclBinding[]) => readonly AclBinding[],
    generationMin: number,
  ): Promise<AclsDocument> {
    const before = (await this.read()) ?? { generation: 0, acls: [] };
    const acls = distinct(change(before.acls));
    const isSame = JSON.stringify(acls) === JSON.stringify(distinct(before.acls));
    if (isSame && before.generation > 0) return before;
    const written = { generation: Math.max(before.generation, generationMin) + 1, acls };
    const bytes = encodeDocument("acls", written);
    // What no reader would take must not get there, whoever asked for it.
    await this.decode(bytes);
    await replaceFile(this.#files, this.#directory, ACLS_NAME, bytes);
    return written;
  }
}

/** What tells an ACL from all others, as one text. */
export function aclKey(acl: AclBinding): string {
  const { resourceType, patternType, resourceName, principal, host, operation, permission } = acl;
  return JSON.stringify([resourceType, resourceName, patternType, principal, host, operation, permission]);
}

function distinct(acls: readonly AclBinding[]): readonly AclBinding[] {
  const byKey = new Map(acls.map((acl) => [aclKey(acl), acl]));
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, acl]) => acl);
}
