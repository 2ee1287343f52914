import { type ClusterDocument, type ClusterFiles, type Json, KaasError, type ProducerIdBlock } from "@kaas/core";
import { encodeDocument, readDocument } from "../documents/documents.js";
import { claimFile, type DurableFiles, replaceFile } from "../documents/durable-files.js";
import { ensureDirectory, isErrno } from "../file-system/file-system.js";
import { SLOT_DIRECTORIES } from "../journal/slot-files.js";
import { CLUSTER_NAME, PRODUCER_IDS_NAME, producerIdBlockName, producerIdBlockNumber } from "./cluster-names.js";

const PRODUCER_ID_BLOCK = 1_000;

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

  async readDocument(name: ClusterDocument): Promise<Json | undefined> {
    const { files, directory } = this.#options;
    try {
      // Another machine may have replaced it: what a name leads to is believed of a directory that was opened just now.
      await files.fileSystem.list(directory);
      const { content } = await readDocument(files.fileSystem, `${directory}/${name}.json`, "cluster-document");
      return content;
    } catch (error) {
      if (isErrno(error, "ENOENT")) return undefined;
      throw error;
    }
  }

  async writeDocument(name: ClusterDocument, content: Json): Promise<void> {
    const { files, directory } = this.#options;
    await replaceFile(files, directory, `${name}.json`, encodeDocument("cluster-document", { content }));
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
