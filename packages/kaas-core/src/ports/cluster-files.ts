import type { Json } from "./slot-journals.js";

/** Small documents of the cluster, each with one writer. */
export type ClusterDocument = "broker-configs" | "group-configs" | "client-metrics-configs";

export interface ProducerIdBlock {
  readonly first: number;
  readonly count: number;
}

/** Files of the cluster as a whole. */
export interface ClusterFiles {
  /** 22 characters of base64url, for the life of the volume. */
  readonly clusterId: string;
  /** Claims producer ids that were never given out before and never will be again, whatever crashes. */
  claimProducerIds(): Promise<ProducerIdBlock>;
  /** A document, or undefined when it was never written. */
  readDocument(name: ClusterDocument): Promise<Json | undefined>;
  /** Replaces a document; durable when it resolves. */
  writeDocument(name: ClusterDocument, content: Json): Promise<void>;
}
