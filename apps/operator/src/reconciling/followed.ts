import type { Clock, Log, Random } from "@kaas/core";
import { type KubernetesApi, type KubernetesObject, Reflector, type Resource, WatchedSet } from "@kaas/k8s";

export interface FollowedOptions<T extends KubernetesObject> {
  readonly api: KubernetesApi;
  readonly resource: Resource<T>;
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly changed: (object: T, before: T | undefined) => void;
  readonly deleted: (object: T) => void;
  /** What is kept of an object; all of it where it is left out. */
  readonly keep?: (object: T) => T;
}

/** The objects of a resource, kept up to date by a reflector. */
export class Followed<T extends KubernetesObject> {
  /** Resolves after the first complete list. */
  readonly synced: Promise<void>;
  readonly #set: WatchedSet<T>;
  readonly #reflector: Reflector<T>;

  constructor(options: FollowedOptions<T>) {
    const { api, resource, namespace, clock, random, log, changed, deleted, keep = (object: T): T => object } = options;
    const { promise, resolve } = withResolve();
    this.synced = promise;
    const set = new WatchedSet<T>({ changed, deleted, onSynced: resolve });
    this.#set = set;
    this.#reflector = new Reflector<T>({
      api,
      resource,
      selection: { namespace },
      sink: {
        relistBegan: () => set.relistBegan(),
        listed: (object) => set.listed(keep(object)),
        relistCompleted: () => set.relistCompleted(),
        relistAborted: () => set.relistAborted(),
        changed: (object) => set.changed(keep(object)),
        removed: (object) => set.removed(keep(object)),
      },
      clock,
      random,
      log,
    });
  }

  get isSynced(): boolean {
    return this.#set.isSynced;
  }

  objects(): readonly T[] {
    return [...this.#set.objects()];
  }

  get(name: string, namespace: string): T | undefined {
    return this.#set.get(name, namespace);
  }

  start(): void {
    this.#reflector.start();
  }

  stop(): Promise<void> {
    return this.#reflector.stop();
  }
}

function withResolve(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
