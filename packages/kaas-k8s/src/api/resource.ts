import type { KubernetesObject } from "./kubernetes-object.js";

/** A kind of objects, and where the API server serves them. */
export interface Resource<T extends KubernetesObject = KubernetesObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** As in the URL, such as `kafkatopics`. */
  readonly plural: string;
  readonly isNamespaced: boolean;
  /** Never set: carries the type of the objects to the calls that return them. */
  readonly objectType?: T;
}

/** `apiVersion` of a resource's objects, such as `kaas.rs/v1alpha1` or `v1`. */
export function apiVersionOf({ group, version }: Resource): string {
  return group === "" ? version : `${group}/${version}`;
}

/** One object of a resource. */
export interface ObjectRef {
  /** Left out for what has no namespace. */
  readonly namespace?: string;
  readonly name: string;
}

/** The object's place, for messages: `kafkatopics kaas/orders`. */
export function describeRef({ plural }: Resource, { namespace, name }: ObjectRef): string {
  return namespace === undefined ? `${plural} ${name}` : `${plural} ${namespace}/${name}`;
}
