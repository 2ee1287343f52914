import type { KafkaCluster } from "@kaas/operator-api";
import type { ListenerAddresses } from "./listener-addresses.js";

/** One reconciliation of a cluster: what its steps find out, for those that follow. */
export interface ClusterRun {
  readonly object: KafkaCluster;
  /** Undefined before they have been looked for. */
  addresses?: readonly ListenerAddresses[];
  /** What is waited for, for people. */
  readonly pending: string[];
}
