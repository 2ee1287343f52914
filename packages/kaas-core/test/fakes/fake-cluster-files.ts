import { KaasError } from "../../src/errors/kaas-error.js";
import type { ClusterDocument, ClusterFiles, DocumentVersion, ProducerIdBlock } from "../../src/ports/cluster-files.js";
import type { Json } from "../../src/ports/slot-journals.js";

/** Cluster files in memory. Documents go through JSON, as they do on a volume. */
export class FakeClusterFiles implements ClusterFiles {
  readonly clusterId = "AAAAAAAAAAAAAAAAAAAAAQ";
  readonly documents: Map<ClusterDocument, string> = new Map();
  readonly #versions = new Map<ClusterDocument, number>();
  /** When set, nothing can be written. */
  failing = false;
  #producerIds = 0;

  claimProducerIds(): Promise<ProducerIdBlock> {
    const first = this.#producerIds;
    this.#producerIds += 1000;
    return Promise.resolve({ first, count: 1000 });
  }

  readDocument(name: ClusterDocument): Promise<DocumentVersion> {
    const text = this.documents.get(name);
    const content = text === undefined ? undefined : (JSON.parse(text) as Json);
    return Promise.resolve({ version: this.#versions.get(name) ?? 0, content });
  }

  writeDocument(name: ClusterDocument, version: number, content: Json): Promise<boolean> {
    if (this.failing) return Promise.reject(new KaasError("KAAS_STORAGE_FAILED", "the volume is read-only"));
    if (version !== (this.#versions.get(name) ?? 0)) return Promise.resolve(false);
    this.#versions.set(name, version + 1);
    this.documents.set(name, JSON.stringify(content));
    return Promise.resolve(true);
  }
}
