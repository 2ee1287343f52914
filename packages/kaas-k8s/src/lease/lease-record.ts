import { LEASES, type Lease } from "./lease-resource.js";
import { apiVersionOf } from "../api/resource.js";
import type { ObservedLease } from "./lease-machine.js";

/** A lease that does not say for how long it holds is taken to hold for this long. */
const DURATION_MS = 15_000;

export function observedLease({ metadata, spec = {} }: Lease): ObservedLease {
  const seconds = spec.leaseDurationSeconds ?? 0;
  return {
    holder: spec.holderIdentity ?? "",
    durationMs: seconds > 0 ? seconds * 1000 : DURATION_MS,
    transitions: spec.leaseTransitions ?? 0,
    resourceVersion: metadata.resourceVersion ?? "",
  };
}

export interface LeaseContent {
  readonly namespace: string;
  readonly name: string;
  /** Empty: nobody. */
  readonly holder: string;
  readonly durationMs: number;
  readonly epoch: number;
  /** Wall-clock time, for people. */
  readonly acquiredAt: number;
  readonly renewedAt: number;
  /** Of what is written over; undefined for a new lease. */
  readonly resourceVersion: string | undefined;
}

export function leaseObject(content: LeaseContent): Lease {
  const { namespace, name, resourceVersion } = content;
  return {
    apiVersion: apiVersionOf(LEASES),
    kind: LEASES.kind,
    metadata: { name, namespace, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    spec: {
      holderIdentity: content.holder,
      leaseDurationSeconds: Math.max(1, Math.round(content.durationMs / 1000)),
      acquireTime: microTime(content.acquiredAt),
      renewTime: microTime(content.renewedAt),
      leaseTransitions: content.epoch,
    },
  };
}

/** Kubernetes' MicroTime has six digits behind the point, and refuses others. */
function microTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/Z$/, "000Z");
}
