import { KaasError } from "../../src/errors/kaas-error.js";
import type { ClusterDocument, ClusterFiles, ProducerIdBlock } from "../../src/ports/cluster-files.js";
import type { Json } from "../../src/ports/slot-journals.js";

/** Cluster files in memory. Documents go through JSON, as they do on a volume. */
export class FakeClusterFiles implements ClusterFiles {
  readonly clusterId = "AAAAAAAAAAAAAAAAAAAAAQ";
  readonly documents: Map<ClusterDocument, string> = new Map();
  /** When set, nothing can be written. */
  failing = false;
  #producerIds = 0;

  claimProducerIds(): Promise<ProducerIdBlock> {
    const first = this.#producerIds;
    this.#producerIds += 1000;
    return Promise.resolve({ first, count: 1000 });
  }

  readDocument(name: ClusterDocument): Promise<Json | undefined> {
    const text = this.documents.get(name);
    return Promise.resolve(text === undefined ? undefined : (JSON.parse(text) as Json));
  }

  writeDocument(name: ClusterDocument, content: Json): Promise<void> {
    if (this.failing) return Promise.reject(new KaasError("KAAS_STORAGE_FAILED", "the volume is read-only"));
    this.documents.set(name, JSON.stringify(content));
    return Promise.resolve();
  }
}
