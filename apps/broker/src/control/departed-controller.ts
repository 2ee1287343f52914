import type { Assignment } from "@kaas/core";
import { parseLeaseIdentity } from "./lease-identity.js";
import type { BrokenConnection } from "./peers/heartbeat-sender.js";
import { RETURN_MS } from "./peers/peer-server.js";

/** A process that was a broker, and that a new controller need not wait for. */
export interface DepartedBroker {
  readonly nodeId: number;
  readonly incarnation: string;
}

/**
 * The controller of before, if it has surely ended: the kernel closes the connections of a process that ends, and nobody
 * takes new ones in its place. By the time its Lease has run out that was long ago. One that stands still, or whose
 * machine is cut off, leaves its connections open; it is given time.
 */
export function departedController(
  broken: BrokenConnection | undefined,
  newest: Assignment | undefined,
): DepartedBroker | undefined {
  if (broken === undefined || broken.forMs < RETURN_MS) return undefined;
  const identity = parseLeaseIdentity(broken.key);
  const known = newest?.brokers.find(({ incarnation }) => incarnation === identity?.incarnation);
  return known && { nodeId: known.nodeId, incarnation: known.incarnation };
}
