import type { ApiServer } from "./api-server.js";
import type { Decisions } from "./decisions.js";
import type { Peers } from "./peers.js";
import type { Promises } from "./promises.js";

/** What all brokers have in common besides the volume. */
export interface Governance {
  readonly peers: Peers;
  readonly api: ApiServer;
  readonly decisions: Decisions;
  readonly promises: Promises;
}
