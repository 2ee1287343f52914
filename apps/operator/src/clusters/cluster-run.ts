import type { KafkaCluster } from "@kaas/operator-api";
import type { Refusal } from "../reconciling/steps.js";
import type { ListenerAddresses } from "./listener-addresses.js";

/** One reconciliation of a cluster: what its steps find out, for those that follow. */
export interface ClusterRun {
  readonly object: KafkaCluster;
  /** Undefined before they have been looked for. */
  addresses?: readonly ListenerAddresses[];
  /** Listeners that cannot be had, by name, and why. */
  readonly refused: Map<string, Refusal>;
  /** What is waited for, for people. */
  readonly pending: string[];
}
