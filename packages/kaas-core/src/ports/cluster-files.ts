import type { Json } from "./slot-journals.js";

/** Small documents of the cluster, which any broker may change. */
export type ClusterDocument = "broker-configs" | "group-configs" | "client-metrics-configs";

/** A document as it was at one time. */
export interface DocumentVersion {
  /** 0 when it was never written. */
  readonly version: number;
  /** Undefined when it was never written. */
  readonly content: Json | undefined;
}

/** Producer ids from `first` on, `count` of them, for one process to give out (KIP-98). */
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
  /** The newest version of a document. */
  readDocument(name: ClusterDocument): Promise<DocumentVersion>;
  /**
   * Replaces a version of a document by the next one. False, and nothing is changed, where another broker has done so
   * meanwhile: what that has written is not to be lost. Durable when it resolves.
   */
  writeDocument(name: ClusterDocument, version: number, content: Json): Promise<boolean>;
}
