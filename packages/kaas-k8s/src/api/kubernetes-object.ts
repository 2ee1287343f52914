/** What an object depends on: it is removed by Kubernetes once its owners are gone. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Metadata of any object. What the server fills in is optional, so that the type fits what is sent as well. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string | undefined;
  /** Of this object and no other, also when it is created again under the same name. */
  readonly uid?: string | undefined;
  /** Opaque; another after each change. Sent with a change, it makes the change fail if the object has moved on. */
  readonly resourceVersion?: string | undefined;
  /** Counts changes of `spec`. */
  readonly generation?: number | undefined;
  /** RFC 3339, in whole seconds. */
  readonly creationTimestamp?: string | undefined;
  /** Set once deletion was asked for while something, such as a finalizer, still holds the object. */
  readonly deletionTimestamp?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
  readonly finalizers?: readonly string[] | undefined;
}

/** An object of the API server. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}
