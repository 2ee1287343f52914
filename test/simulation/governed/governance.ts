import type { Decisions } from "./decisions.js";
import type { LeaseServer } from "./lease.js";
import type { Network } from "./network.js";
import type { Peers } from "./peers.js";

/** What all brokers have in common besides the volume. */
export interface Governance {
  readonly network: Network;
  readonly peers: Peers;
  readonly lease: LeaseServer;
  readonly decisions: Decisions;
}
