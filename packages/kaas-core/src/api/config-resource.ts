import { type Refusal, refuse } from "../errors/refusal.js";
import { ErrorCode } from "../errors/error-codes.js";

/** Wire numbers of what has configurations. */
export const ConfigResourceType = { TOPIC: 2, BROKER: 4, BROKER_LOGGER: 8, CLIENT_METRICS: 16, GROUP: 32 } as const;

/** Which broker a resource name means: a node id, or undefined for the empty name. Only this broker can be asked. */
export function brokerOf(resourceName: string, nodeId: number): { readonly id: number | undefined } | Refusal {
  if (resourceName === "") return { id: undefined };
  if (!/^-?\d{1,10}$/.test(resourceName)) {
    return refuse(ErrorCode.INVALID_REQUEST, `Broker id must be an integer, but it is: ${resourceName}`);
  }
  if (Number(resourceName) === nodeId) return { id: nodeId };
  return refuse(
    ErrorCode.INVALID_REQUEST,
    `Unexpected broker id, expected ${nodeId} or empty string, but received ${resourceName}`,
  );
}

/** Resources that a request names more than once. */
export function repeatedResources<Resource extends { readonly resourceType: number; readonly resourceName: string }>(
  resources: readonly Resource[],
): ReadonlySet<Resource> {
  const firstByIdentity = new Map<string, Resource>();
  const repeated = new Set<Resource>();
  for (const resource of resources) {
    const identity = `${resource.resourceType} ${resource.resourceName}`;
    const first = firstByIdentity.get(identity);
    if (first === undefined) firstByIdentity.set(identity, resource);
    else repeated.add(first).add(resource);
  }
  return repeated;
}
