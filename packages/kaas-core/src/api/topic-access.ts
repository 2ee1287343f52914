import { CLUSTER_NAME } from "../security/access.js";
import type { ClientConnection } from "./api-handler.js";

/** Whether a client may create a topic of this name: as one who may create any, or only this one (KIP-277). */
export function mayCreate({ access }: ClientConnection, topic: string): boolean {
  return access.sees("CREATE", "CLUSTER", CLUSTER_NAME) || access.may("CREATE", "TOPIC", topic);
}
