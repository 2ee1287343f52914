import type { KubernetesObject } from "../api/kubernetes-object.js";

/**
 * What a reflector tells, in order. A relist opens a set (`relistBegan`), fills it (`listed`) and closes it
 * (`relistCompleted`): only then is known what is not there any more. One that is cut short (`relistAborted`) says
 * nothing about what it did not list. Calls must not throw.
 */
export interface ReflectorSink<T extends KubernetesObject> {
  /** A list begins; what was listed before it and not completed does not count. */
  relistBegan(): void;
  /** One object of the list that is under way. */
  listed(object: T): void;
  /** The list had all: what it did not have is gone. */
  relistCompleted(): void;
  /** The list was cut short: what it did not have may be there. */
  relistAborted(): void;
  /** Between relists: an object is new or has changed. */
  changed(object: T): void;
  /** Between relists: an object is gone; its last state. */
  removed(object: T): void;
}
