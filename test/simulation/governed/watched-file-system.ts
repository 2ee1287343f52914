import type { FileHandle, OpenMode } from "../../../packages/kaas-storage/src/file-system/file-system.js";
import type { SimulatedProcess } from "../../../packages/kaas-storage/src/testing/simulated/machine.js";
import type { NfsClient } from "../../../packages/kaas-storage/src/testing/simulated/nfs-client.js";
import { NfsFileSystem } from "../../../packages/kaas-storage/src/testing/simulated/nfs-file-system.js";

const FUSE = /\/brokers\/([^/]+)\/([^/]+)\.fuse$/;

/** The volume as one process sees it, with an eye on whose fuse that process writes to. */
export class WatchedFileSystem extends NfsFileSystem {
  /** A fuse is opened to be blown. */
  readonly #blows: (name: string, incarnation: string) => void;

  constructor(
    client: NfsClient,
    process: SimulatedProcess,
    preallocationHelps: boolean,
    blows: (name: string, incarnation: string) => void,
  ) {
    super(client, process, preallocationHelps);
    this.#blows = blows;
  }

  override open(path: string, mode: OpenMode): Promise<FileHandle> {
    const [, name, incarnation] = (mode === "write" && FUSE.exec(path)) || [];
    if (name !== undefined && incarnation !== undefined) this.#blows(name, incarnation);
    return super.open(path, mode);
  }
}
