import { type KubernetesObject, Reflector, type ReflectorSurroundings, type Resource, WatchedSet } from "@kaas/k8s";

export interface FollowedOptions<T extends KubernetesObject> extends ReflectorSurroundings {
  readonly resource: Resource<T>;
  readonly namespace: string;
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
    const { namespace, changed, deleted, keep = (object: T): T => object, ...reflected } = options;
    const { promise, resolve } = withResolve();
    this.synced = promise;
    const set = new WatchedSet<T>({ changed, deleted, onSynced: resolve });
    this.#set = set;
    this.#reflector = new Reflector<T>({
      ...reflected,
      selection: { namespace },
      sink: {
        relistBegan: () => set.relistBegan(),
        listed: (object) => set.listed(keep(object)),
        relistCompleted: () => set.relistCompleted(),
        relistAborted: () => set.relistAborted(),
        changed: (object) => set.changed(keep(object)),
        removed: (object) => set.removed(keep(object)),
      },
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
