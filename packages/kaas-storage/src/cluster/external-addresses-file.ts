import type { DocumentTypes } from "../documents/document-types.js";
import type { DurableFiles } from "../documents/durable-files.js";
import { GenerationFile } from "./generation-file.js";

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
export class ExternalAddressesFile extends GenerationFile<"external-addresses"> {
  /** @param directory the cluster directory, `<data>/__cluster` */
  constructor(files: DurableFiles, directory: string) {
    super("external-addresses", files, directory);
  }

  /** Replaces what is there, if that is anything else. No addresses need no file. */
  async write(listeners: readonly ExternalListener[]): Promise<void> {
    if (listeners.length === 0 && (await this.readBytes()) === undefined) return;
    await this.replace(() => ({ listeners }));
  }
}
