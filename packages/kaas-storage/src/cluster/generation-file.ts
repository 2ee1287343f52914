import { isDeepStrictEqual } from "node:util";
import type { DocumentTypes } from "../documents/document-types.js";
import { decodeDocument, encodeDocument } from "../documents/documents.js";
import { type DurableFiles, replaceFile } from "../documents/durable-files.js";
import { isListed } from "../file-system/file-system.js";

/** The kinds of documents that say which generation they are. */
export const GENERATION_KINDS = ["acls", "credentials", "external-addresses"] as const;
/** One of {@link GENERATION_KINDS}: also the name of its file, without `.json`. */
export type GenerationKind = (typeof GENERATION_KINDS)[number];

/** The name of the file in the cluster directory. */
export function generationFileName(kind: GenerationKind): string {
  return `${kind}.json`;
}

/** What a document says beside its generation. */
type Content<Kind extends GenerationKind> = Omit<DocumentTypes[Kind], "generation">;

/**
 * A document in the cluster directory, `<kind>.json`, that has one writer and is replaced as a whole: each version has a
 * higher generation than the one before, so that readers never go back.
 */
export abstract class GenerationFile<Kind extends GenerationKind> {
  readonly kind: Kind;
  readonly #files: DurableFiles;
  readonly #directory: string;
  #last: Promise<unknown> = Promise.resolve();

  /** @param directory the cluster directory, `<data>/__cluster` */
  constructor(kind: Kind, files: DurableFiles, directory: string) {
    this.kind = kind;
    this.#files = files;
    this.#directory = directory;
  }

  get path(): string {
    return `${this.#directory}/${generationFileName(this.kind)}`;
  }

  /** The bytes as they are on the volume at this moment; undefined when there is no such file. */
  async readBytes(): Promise<Buffer | undefined> {
    const { fileSystem } = this.#files;
    const isThere = await isListed(fileSystem, this.#directory, generationFileName(this.kind));
    return isThere ? fileSystem.readFile(this.path) : undefined;
  }

  /** @throws KaasError KAAS_VOLUME_INVALID naming the file and what is wrong with it, never what secrets it holds. */
  decode(bytes: Buffer): Promise<DocumentTypes[Kind]> {
    return decodeDocument(bytes, this.path, this.kind);
  }

  /** What the file says; undefined when there is none. */
  async read(): Promise<DocumentTypes[Kind] | undefined> {
    const bytes = await this.readBytes();
    return bytes === undefined ? undefined : this.decode(bytes);
  }

  /**
   * Replaces what is there by what `change` makes of it; durable when it resolves. Calls come one after the other. What
   * changes nothing writes nothing.
   *
   * @param generationMin the generation that a reader is known to have, which the new one must exceed
   */
  protected replace(
    change: (before: DocumentTypes[Kind] | undefined) => Content<Kind>,
    generationMin = 0,
  ): Promise<DocumentTypes[Kind]> {
    const replacing = this.#last.then(() => this.#replace(change, generationMin));
    this.#last = replacing.catch(() => undefined);
    return replacing;
  }

  async #replace(
    change: (before: DocumentTypes[Kind] | undefined) => Content<Kind>,
    generationMin: number,
  ): Promise<DocumentTypes[Kind]> {
    const before = await this.read();
    const generation = Math.max(before?.generation ?? 0, generationMin) + 1;
    const bytes = encodeDocument(this.kind, { generation, ...change(before) } as DocumentTypes[Kind]);
    // What no reader would take must not get there, whoever asked for it.
    const after = await this.decode(bytes);
    if (before !== undefined && isDeepStrictEqual({ ...after, generation: before.generation }, before)) return before;
    await replaceFile(this.#files, this.#directory, generationFileName(this.kind), bytes);
    return after;
  }
}
