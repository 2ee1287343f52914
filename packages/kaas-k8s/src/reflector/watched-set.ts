import type { KubernetesObject } from "../api/kubernetes-object.js";
import type { ReflectorSink } from "./reflector-sink.js";

/** Told about objects. Calls must not throw. */
export interface WatchedSetListener<T extends KubernetesObject> {
  /** An object is new (`before` is undefined) or has changed. */
  changed(object: T, before: T | undefined): void;
  /** An object is gone; the last that was known of it. */
  deleted(object: T): void;
  /** All that existed has been told once. Called once, after the first complete list. */
  onSynced(): void;
}

/**
 * Objects as last told, whatever becomes of the watches and lists that told them. An object that another one has taken
 * the place of under the same name is deleted first. A list that is complete retracts what it did not have; one that is
 * cut short retracts nothing.
 */
export class WatchedSet<T extends KubernetesObject> implements ReflectorSink<T> {
  readonly #listener: WatchedSetListener<T>;
  readonly #objects = new Map<string, T>();
  /** Of the list that is under way. */
  #listed: Set<string> | undefined;
  #isSynced = false;

  constructor(listener: WatchedSetListener<T>) {
    this.#listener = listener;
  }

  /** Whether all that existed has been told once. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  get size(): number {
    return this.#objects.size;
  }

  /** All that are known, in no order. */
  objects(): IterableIterator<T> {
    return this.#objects.values();
  }

  /** By name, and by namespace where the resource has them. */
  get(name: string, namespace?: string): T | undefined {
    return this.#objects.get(keyOf(name, namespace));
  }

  relistBegan(): void {
    this.#listed = new Set();
  }

  listed(object: T): void {
    this.#listed?.add(keyOf(object.metadata.name, object.metadata.namespace));
    this.changed(object);
  }

  relistCompleted(): void {
    const listed = this.#listed ?? new Set();
    this.#listed = undefined;
    for (const [key, object] of [...this.#objects]) {
      if (!listed.has(key)) this.#delete(key, object);
    }
    if (this.#isSynced) return;
    this.#isSynced = true;
    this.#listener.onSynced();
  }

  relistAborted(): void {
    this.#listed = undefined;
  }

  changed(object: T): void {
    const { name, namespace, uid, resourceVersion } = object.metadata;
    const key = keyOf(name, namespace);
    const before = this.#objects.get(key);
    if (before === undefined) return this.#put(key, object, undefined);
    if (before.metadata.uid !== uid) {
      this.#delete(key, before);
      this.#put(key, object, undefined);
    } else if (before.metadata.resourceVersion !== resourceVersion) this.#put(key, object, before);
  }

  removed(object: T): void {
    const key = keyOf(object.metadata.name, object.metadata.namespace);
    const before = this.#objects.get(key);
    if (before !== undefined) this.#delete(key, before);
  }

  #put(key: string, object: T, before: T | undefined): void {
    this.#objects.set(key, object);
    this.#listener.changed(object, before);
  }

  #delete(key: string, object: T): void {
    this.#objects.delete(key);
    this.#listener.deleted(object);
  }
}

/** Names have no slash. */
const keyOf = (name: string, namespace = ""): string => `${namespace}/${name}`;
