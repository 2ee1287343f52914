import type { CallOptions, KubernetesApi } from "./kubernetes-api.js";
import { isStatus } from "./kubernetes-error.js";
import type { KubernetesObject } from "./kubernetes-object.js";
import type { ObjectRef, Resource } from "./resource.js";

/** An object; undefined where there is none of the name. */
export async function getIfThere<T extends KubernetesObject>(
  api: KubernetesApi,
  resource: Resource<T>,
  ref: ObjectRef,
  options: CallOptions = {},
): Promise<T | undefined> {
  try {
    return await api.get(resource, ref, options);
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}
