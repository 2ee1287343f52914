import type { KubernetesObject } from "../api/kubernetes-object.js";
import type { Resource } from "../api/resource.js";

/** One pod behind a Service. */
export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions?: {
    readonly ready?: boolean | null;
    readonly serving?: boolean | null;
    readonly terminating?: boolean | null;
  };
  readonly targetRef?: { readonly kind?: string; readonly name?: string; readonly uid?: string } | null;
  readonly nodeName?: string | null;
  readonly zone?: string | null;
}

/** An EndpointSlice of discovery.k8s.io, as far as it is used. */
export interface EndpointSlice extends KubernetesObject {
  readonly endpoints?: readonly Endpoint[] | null;
}

export const ENDPOINT_SLICES: Resource<EndpointSlice> = {
  group: "discovery.k8s.io",
  version: "v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
  isNamespaced: true,
};

/** Selects the slices of one Service. */
export const slicesOf = (service: string): string => `kubernetes.io/service-name=${service}`;
