import type { KubernetesObject } from "../api/kubernetes-object.js";
import type { Resource } from "../api/resource.js";

/** A Lease of coordination.k8s.io, as far as it is used. */
export interface Lease extends KubernetesObject {
  readonly spec?: {
    readonly holderIdentity?: string | null;
    readonly leaseDurationSeconds?: number | null;
    /** RFC 3339 with microseconds; for people, nothing is decided by it. */
    readonly acquireTime?: string | null;
    readonly renewTime?: string | null;
    readonly leaseTransitions?: number | null;
  };
}

export const LEASES: Resource<Lease> = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  isNamespaced: true,
};
