import type { ClusterFiles, ProducerIdBlock } from "../ports/cluster-files.js";

/** Hands out producer ids, each once for the life of the cluster, from blocks that are claimed on the volume. */
export class ProducerIds {
  readonly #files: ClusterFiles;
  #next = 0;
  #end = 0;
  #claiming: Promise<void> | undefined;

  constructor(files: ClusterFiles) {
    this.#files = files;
  }

  /** The next id; waits for the volume once in a block's length. Rejects with a `KaasError` when it fails. */
  async next(): Promise<number> {
    while (this.#next === this.#end) {
      this.#claiming ??= this.#claim();
      await this.#claiming;
    }
    return this.#next++;
  }

  async #claim(): Promise<void> {
    try {
      const block: ProducerIdBlock = await this.#files.claimProducerIds();
      this.#next = block.first;
      this.#end = block.first + block.count;
    } finally {
      this.#claiming = undefined;
    }
  }
}
