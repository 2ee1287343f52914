import type { ClusterBroker } from "../ports/cluster-view.js";
import type { RequestContext } from "./api-handler.js";

/** A broker, and how clients of one listener reach it. */
export interface NodeEndpoint {
  readonly nodeId: number;
  readonly host: string;
  readonly port: number;
  readonly rack: string | null;
}

/** Brokers that clients may go to, at the addresses of the listener that the client has come to. */
export function liveEndpoints(context: RequestContext): NodeEndpoint[] {
  const found: NodeEndpoint[] = [];
  for (const broker of context.broker.cluster.brokers()) {
    if (broker.isFenced) continue;
    const endpoint = endpointOf(context, broker);
    if (endpoint !== undefined) found.push(endpoint);
  }
  return found;
}

/** Brokers at the addresses of the client's listener, and those that clients may not go to as well if so wished. */
export function describedEndpoints(
  context: RequestContext,
  includesFenced: boolean,
): (Omit<NodeEndpoint, "nodeId"> & { readonly brokerId: number; readonly isFenced: boolean })[] {
  return context.broker.cluster.brokers().flatMap((broker) => {
    const endpoint = broker.isFenced && !includesFenced ? undefined : endpointOf(context, broker);
    if (endpoint === undefined) return [];
    const { nodeId, host, port, rack } = endpoint;
    return [{ brokerId: nodeId, host, port, rack, isFenced: broker.isFenced }];
  });
}

/** A broker, if clients may go to it and it can be reached as the client reaches this one. */
export function liveEndpoint(context: RequestContext, nodeId: number): NodeEndpoint | undefined {
  const broker = context.broker.cluster.broker(nodeId);
  return broker === undefined || broker.isFenced ? undefined : endpointOf(context, broker);
}

/** A broker at the address of the client's listener; undefined if it has no such listener. */
function endpointOf({ connection }: RequestContext, broker: ClusterBroker): NodeEndpoint | undefined {
  const { nodeId, rack } = broker;
  const listener = broker.listeners.find(({ listenerName }) => listenerName === connection.listenerName);
  return listener === undefined ? undefined : { nodeId, host: listener.host, port: listener.port, rack };
}

/**
 * Where admin clients send what they think only a controller does. All brokers do that here, so while none that lives is
 * known it is this one, and where this one leads nothing any other: a client that is told of none waits.
 */
export function controllerIdFor(context: RequestContext): number {
  const { controllerId, nodeId } = context.broker.cluster;
  if (liveEndpoint(context, controllerId) !== undefined) return controllerId;
  return (liveEndpoint(context, nodeId) ?? liveEndpoints(context)[0])?.nodeId ?? -1;
}
