import { isDeepStrictEqual } from "node:util";
import type { DocumentTypes } from "../documents/document-types.js";
import { encodeDocument, readDocument } from "../documents/documents.js";
import { type DurableFiles, replaceFile } from "../documents/durable-files.js";

const NAME = "external-addresses.json";

/** Where clients from outside reach the brokers by one listener. */
export type ExternalListener = DocumentTypes["external-addresses"]["listeners"][number];

/**
 * `external-addresses.json`: where clients from outside of Kubernetes reach each broker. What load balancers and node
 * ports are given is known only once they are there, so the operator writes it down, for brokers to tell their clients.
 *
 * ```
 * {"format":1,"generation":3,"listeners":[{"name":"external","brokers":[{"nodeId":0,"host":"203.0.113.7","port":9094}]}]}
 * ```
 *
 * A host that is null is the address of the node that the broker runs on.
 */
export class ExternalAddressesFile {
  readonly #files: DurableFiles;
  readonly #directory: string;

  /** @param directory the cluster directory, `<data>/__cluster` */
  constructor(files: DurableFiles, directory: string) {
    this.#files = files;
    this.#directory = directory;
  }

  /** What the file says; undefined when there is none. A reader ignores a lower generation than it has seen. */
  async read(): Promise<DocumentTypes["external-addresses"] | undefined> {
    const { fileSystem } = this.#files;
    // A directory that is opened anew says what is there; a cache may go on without.
    const entries = await fileSystem.list(this.#directory);
    if (!entries.some(({ name }) => name === NAME)) return undefined;
    return readDocument(fileSystem, `${this.#directory}/${NAME}`, "external-addresses");
  }

  /** Replaces what is there, if that is anything else. Has one caller at a time. */
  async write(listeners: readonly ExternalListener[]): Promise<void> {
    const before = await this.read();
    if (isDeepStrictEqual(before?.listeners ?? [], listeners)) return;
    const content = encodeDocument("external-addresses", { generation: (before?.generation ?? 0) + 1, listeners });
    await replaceFile(this.#files, this.#directory, NAME, content);
  }
}
