import { isStatus, type KubernetesApi, type KubernetesObject, type Resource } from "@kaas/k8s";
import type { KafkaCluster } from "@kaas/operator-api";
import { CLUSTER_LABEL, FIELD_MANAGER, isMadeFor, isOwnedBy, MANAGED_BY_LABEL } from "../kubernetes/ownership.js";
import { asResource, type DesiredObject } from "./desired-object.js";

/** The API server has none of the resources: what defines them is not installed. */
export class ResourceMissing extends Error {
  readonly resource: Resource;

  constructor(resource: Resource) {
    super(`the API server does not know ${resource.kind} of ${resource.group}`);
    this.name = "ResourceMissing";
    this.resource = resource;
  }
}

/** Makes the objects of a cluster what they should be: server-side apply, and removal of those that should not be. */
export class ObjectKeeper {
  readonly #api: KubernetesApi;
  /** Of several versions of a resource, the one that was found. */
  readonly #served = new Map<string, Resource>();

  constructor(api: KubernetesApi) {
    this.#api = api;
  }

  /** Names of what should be there, and is already without having been made for this cluster: it is somebody else's. */
  async taken(
    resources: readonly Resource[],
    cluster: KafkaCluster,
    objects: readonly DesiredObject[],
  ): Promise<string[]> {
    const { name: clusterName, namespace = "" } = cluster.metadata;
    const resource = objects.length === 0 ? undefined : await this.#servedOf(resources, namespace);
    if (resource === undefined) return [];
    const wanted = new Set(objects.map(({ object }) => object.metadata.name));
    const { items } = await this.#api.list(resource, { namespace }).catch((error: unknown) => this.#failed(error));
    return items
      .filter((object) => wanted.has(object.metadata.name) && !isMadeFor(object, clusterName))
      .map(({ metadata }) => metadata.name);
  }

  /** @throws ResourceMissing when none of its resources is there. */
  async apply(desired: DesiredObject): Promise<KubernetesObject> {
    const resource = await this.#servedOf(desired.resources, desired.object.metadata.namespace);
    if (resource === undefined) throw new ResourceMissing(desired.resources[0] as Resource);
    const object = asResource(desired, resource);
    const { name, namespace } = object.metadata;
    const patch = { type: "apply", object, fieldManager: FIELD_MANAGER, isForced: true } as const;
    const ref = namespace === undefined ? { name } : { name, namespace };
    return this.#api.patch(resource, ref, patch).catch((error: unknown) => this.#failed(error));
  }

  /** Removes what a cluster owns of a resource and should not have. */
  async prune(resources: readonly Resource[], cluster: KafkaCluster, wanted: ReadonlySet<string>): Promise<void> {
    const { name: clusterName, namespace = "" } = cluster.metadata;
    const resource = await this.#servedOf(resources, namespace);
    if (resource === undefined) return;
    const labelSelector = `${MANAGED_BY_LABEL}=${FIELD_MANAGER},${CLUSTER_LABEL}=${clusterName}`;
    const { items } = await this.#api
      .list(resource, { namespace, labelSelector })
      .catch((error: unknown) => this.#failed(error));
    for (const object of items) {
      const { name, uid } = object.metadata;
      if (wanted.has(name) || !isOwnedBy(object, cluster)) continue;
      await this.#api
        .delete(resource, { name, namespace }, uid === undefined ? {} : { uid })
        .catch((error: unknown) => {
          if (!isStatus(error, 404) && !isStatus(error, 409)) throw error;
        });
    }
  }

  /** What was served may have been replaced by another version, or be gone: it is looked for when this is tried again. */
  #failed(error: unknown): never {
    if (isStatus(error, 404)) this.#served.clear();
    throw error;
  }

  /** The first of the resources that is there. What was not there is looked for again: it may be installed later. */
  async #servedOf(resources: readonly Resource[], namespace: string | undefined): Promise<Resource | undefined> {
    const key = resources.map(({ group, version, plural }) => `${group}/${version}/${plural}`).join(" ");
    const known = this.#served.get(key);
    if (known !== undefined) return known;
    for (const resource of resources) {
      try {
        await this.#api.list(resource, { ...(namespace === undefined ? {} : { namespace }), limit: 1 });
      } catch (error) {
        if (isStatus(error, 404)) continue;
        throw error;
      }
      this.#served.set(key, resource);
      return resource;
    }
    return undefined;
  }
}
