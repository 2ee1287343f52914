/** The label that nodes have of their zone. EndpointSlices repeat it for each pod: no right to read nodes is needed. */
export const ZONE_LABEL = "topology.kubernetes.io/zone";
