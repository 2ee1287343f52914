import type { Resource } from "@kaas/k8s";
import type { KafkaCluster, KafkaClusterListener } from "@kaas/operator-api";
import { isRefused } from "../kubernetes/refused.js";
import type { Refusal } from "../reconciling/steps.js";
import type { ClusterRun } from "./cluster-run.js";
import type { DesiredObject } from "./desired-object.js";
import { type ObjectKeeper, ResourceMissing } from "./object-keeper.js";

/** What listeners need of one resource. */
export interface ListenerNeeds {
  /** The versions in which the resource may be served. */
  readonly resources: readonly Resource[];
  readonly model: (cluster: KafkaCluster, listener: KafkaClusterListener) => readonly DesiredObject[];
  /** Where the API server does not have it. */
  readonly missing: Refusal;
}

/**
 * Keeps what each listener needs of a resource, and removes what none needs any more. A listener that cannot be had is
 * noted as such in the run, and holds up no other.
 */
export async function keepForListeners(
  keeper: ObjectKeeper,
  run: ClusterRun,
  needs: ListenerNeeds,
): Promise<undefined> {
  const { object: cluster, refused } = run;
  const all = cluster.spec.listeners.map((listener) => ({ listener, objects: needs.model(cluster, listener) }));
  const objects = all.flatMap((one) => one.objects);
  const taken = new Set(await keeper.taken(needs.resources, cluster, objects));
  for (const { listener, objects: wanted } of all) {
    const foreign = wanted.map(nameOf).filter((name) => taken.has(name));
    const refusal = foreign.length > 0 ? nameTaken(needs, foreign) : await keepAll(keeper, needs, listener, wanted);
    if (refusal !== undefined && !refused.has(listener.name)) refused.set(listener.name, refusal);
  }
  // Also after a refusal: what goes may have been what was in the way, such as a port of the nodes.
  await keeper.prune(needs.resources, cluster, new Set(objects.map(nameOf)));
}

/** What is there under a name and is somebody else's is not made over, nor removed with its owner some day. */
export const nameTaken = ({ resources }: Pick<ListenerNeeds, "resources">, names: readonly string[]): Refusal => ({
  reason: "NameTaken",
  message: `${resources[0]?.kind} ${names.join(", ")}: there already, not made for this cluster, and left alone; delete it, or give the listener or the release another name`,
});

async function keepAll(
  keeper: ObjectKeeper,
  { missing }: ListenerNeeds,
  listener: KafkaClusterListener,
  objects: readonly DesiredObject[],
): Promise<Refusal | undefined> {
  try {
    for (const object of objects) await keeper.apply(object);
    return undefined;
  } catch (error) {
    if (error instanceof ResourceMissing) return missing;
    if (!isRefused(error)) throw error;
    return { reason: "Failed", message: `listener ${listener.name}: ${error.message}. It is tried again` };
  }
}

function nameOf({ object }: DesiredObject): string {
  return object.metadata.name;
}
