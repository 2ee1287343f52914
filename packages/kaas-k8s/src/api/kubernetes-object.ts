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
  readonly namespace?: string;
  /** Of this object and no other, also when it is created again under the same name. */
  readonly uid?: string;
  /** Opaque; another after each change. Sent with a change, it makes the change fail if the object has moved on. */
  readonly resourceVersion?: string;
  /** Counts changes of `spec`. */
  readonly generation?: number;
  /** RFC 3339, in whole seconds. */
  readonly creationTimestamp?: string;
  /** Set once deletion was asked for while something, such as a finalizer, still holds the object. */
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
}

/** An object of the API server. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** A state that an object reports about itself; a list of them is keyed by `type`. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  /** One word in CamelCase, for programs. */
  readonly reason: string;
  /** A sentence for people. */
  readonly message: string;
  /** RFC 3339; when `status` last became what it is. */
  readonly lastTransitionTime: string;
  /** `metadata.generation` that this was found for. */
  readonly observedGeneration?: number;
}
