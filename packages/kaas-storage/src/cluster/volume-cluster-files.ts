import {
  type ClusterDocument,
  type ClusterFiles,
  type DocumentVersion,
  type Json,
  KaasError,
  type ProducerIdBlock,
} from "@kaas/core";
import { encodeDocument, readDocument } from "../documents/documents.js";
import { claimFile, type DurableFiles } from "../documents/durable-files.js";
import { ensureDirectory, isErrno, removeFile } from "../file-system/file-system.js";
import { SLOT_DIRECTORIES } from "../journal/slot-files.js";
import { documentName, documentVersion } from "./cluster-document-names.js";
import { CLUSTER_NAME, PRODUCER_IDS_NAME, producerIdBlockName, producerIdBlockNumber } from "./cluster-names.js";

const PRODUCER_ID_BLOCK = 1_000;
/** A listing that takes its time may pass over what is removed meanwhile, and never over all of these. */
const VERSIONS_KEPT = 10;

/** Where a cluster has been at work there are these, and a cluster.json that came before them. */
const MADE_BY_BROKERS: ReadonlySet<string> = new Set([PRODUCER_IDS_NAME, ...Object.values(SLOT_DIRECTORIES)]);

export interface VolumeClusterFilesOptions {
  readonly files: DurableFiles;
  /** The cluster directory. */
  readonly directory: string;
  readonly incarnation: string;
  /** How many coordinator slots a new cluster gets. */
  readonly slotCount: number;
}

/** The files of the cluster as a whole. */
export class VolumeClusterFiles implements ClusterFiles {
  readonly clusterId: string;
  /** Fixed when the cluster was created. */
  readonly slotCount: number;
  readonly #options: VolumeClusterFilesOptions;

  private constructor(options: VolumeClusterFilesOptions, clusterId: string, slotCount: number) {
    this.#options = options;
    this.clusterId = clusterId;
    this.slotCount = slotCount;
  }

  /** Reads what the cluster is, or makes it one. */
  static async open(options: VolumeClusterFilesOptions): Promise<VolumeClusterFiles> {
    const { files, directory, slotCount } = options;
    const path = `${directory}/${CLUSTER_NAME}`;
    try {
      const cluster = await readDocument(files.fileSystem, path, "cluster");
      return new VolumeClusterFiles(options, cluster.clusterId, cluster.slotCount);
    } catch (error) {
      if (!isErrno(error, "ENOENT")) throw error;
    }
    await refuseWithoutCluster(options);
    const created = { clusterId: files.random.uuid(), slotCount };
    if (await claimFile(files, directory, CLUSTER_NAME, encodeDocument("cluster", created))) {
      return new VolumeClusterFiles(options, created.clusterId, created.slotCount);
    }
    const cluster = await readDocument(files.fileSystem, path, "cluster");
    return new VolumeClusterFiles(options, cluster.clusterId, cluster.slotCount);
  }

  /** Blocks are numbered, and a number is claimed once. All of them stay: the highest must never be forgotten. */
  async claimProducerIds(): Promise<ProducerIdBlock> {
    const { files, directory, incarnation } = this.#options;
    const blocks = `${directory}/${PRODUCER_IDS_NAME}`;
    await ensureDirectory(files.fileSystem, directory, PRODUCER_IDS_NAME);
    for (;;) {
      const number = (await this.#highestBlock(blocks)) + 1;
      const block = { first: number * PRODUCER_ID_BLOCK, count: PRODUCER_ID_BLOCK };
      const content = encodeDocument("producer-id-block", { ...block, incarnation, nonce: files.random.uuid() });
      if (await claimFile(files, blocks, producerIdBlockName(number), content)) return block;
    }
  }

  async readDocument(name: ClusterDocument): Promise<DocumentVersion> {
    const { files, directory } = this.#options;
    for (let tried = -1; ; ) {
      const version = await this.#newestVersion(name);
      if (version === undefined) return { version: 0, content: undefined };
      try {
        const path = `${directory}/${documentName(name, version)}`;
        const { content } = await readDocument(files.fileSystem, path, "cluster-document");
        return { version, content };
      } catch (error) {
        // It was removed after the listing, because there are many newer ones.
        if (!isErrno(error, "ENOENT") || version <= tried) throw error;
        tried = version;
      }
    }
  }

  async writeDocument(name: ClusterDocument, version: number, content: Json): Promise<boolean> {
    const { files, directory } = this.#options;
    if (((await this.#newestVersion(name)) ?? 0) !== version) return false;
    // Two brokers that write the same to the byte have both written it.
    const bytes = encodeDocument("cluster-document", { content });
    if (!(await claimFile(files, directory, documentName(name, version + 1), bytes))) return false;
    await this.#removeOld(name);
    return true;
  }

  async #removeOld(name: ClusterDocument): Promise<void> {
    const { files, directory } = this.#options;
    try {
      for (const old of (await this.#versions(name)).slice(0, -VERSIONS_KEPT)) {
        await removeFile(files.fileSystem, `${directory}/${documentName(name, old)}`);
      }
    } catch {
      // What was written counts all the same, and whoever writes the next version tries again.
    }
  }

  async #newestVersion(name: ClusterDocument): Promise<number | undefined> {
    return (await this.#versions(name)).at(-1);
  }

  /** Ascending. */
  async #versions(name: ClusterDocument): Promise<readonly number[]> {
    const { files, directory } = this.#options;
    const names = await files.fileSystem.list(directory);
    const versions = names.flatMap((entry) => documentVersion(name, entry.name) ?? []);
    return versions.sort((one, other) => one - other);
  }

  async #highestBlock(directory: string): Promise<number> {
    let highest = -1;
    for (const { name } of await this.#options.files.fileSystem.list(directory)) {
      highest = Math.max(highest, producerIdBlockNumber(name) ?? -1);
    }
    return highest;
  }
}

/** Another cluster id is refused by clients, and with another number of slots nobody finds what groups committed. */
async function refuseWithoutCluster({ files, directory }: VolumeClusterFilesOptions): Promise<void> {
  const names = (await files.fileSystem.list(directory)).map(({ name }) => name);
  const made = names.find((name) => MADE_BY_BROKERS.has(name));
  if (made === undefined || names.includes(CLUSTER_NAME)) return; // it may have come meanwhile
  const path = `${directory}/${CLUSTER_NAME}`;
  throw new KaasError("KAAS_VOLUME_INVALID", `${path} is missing, and ${made} is there: put it back from a backup`);
}
