import type { KubernetesObject } from "../api/kubernetes-object.js";

/**
 * What a reflector tells, in order. A relist opens a set (`relistBegan`), fills it (`listed`) and closes it
 * (`relistCompleted`): only then is known what is not there any more. One that is cut short (`relistAborted`) says
 * nothing about what it did not list. Calls must not throw.
 */
export interface ReflectorSink<T extends KubernetesObject> {
  relistBegan(): void;
  listed(object: T): void;
  relistCompleted(): void;
  relistAborted(): void;
  /** Between relists: an object is new or has changed. */
  changed(object: T): void;
  /** Between relists: an object is gone; its last state. */
  removed(object: T): void;
}
