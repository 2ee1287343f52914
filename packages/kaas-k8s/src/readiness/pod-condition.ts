import type { Patch } from "../api/kubernetes-api.js";

/** The pod's readiness gate that a broker opens: the pod is Ready only while its condition of this type is True. */
export const PARTITIONS_READY = "kaas.rs/PartitionsReady";

/** Whether a broker has opened all that it should lead. */
export interface Readiness {
  readonly isReady: boolean;
  /** For people: what is open, or what is missing. */
  readonly message: string;
}

/** The change of the pod's status. Lists of conditions are merged by their type, so that the others stay. */
export function podStatusPatch({ isReady, message }: Readiness, since: number, podUid?: string): Patch {
  const condition = {
    type: PARTITIONS_READY,
    status: isReady ? "True" : "False",
    reason: isReady ? "AllOpen" : "NotAllOpen",
    message,
    lastTransitionTime: new Date(since).toISOString().replace(/\.\d+Z$/, "Z"),
  };
  return {
    type: "strategic",
    object: { ...(podUid === undefined ? {} : { metadata: { uid: podUid } }), status: { conditions: [condition] } },
  };
}
