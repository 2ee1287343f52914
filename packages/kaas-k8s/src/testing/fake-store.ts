import type { Selection, Status, WatchEvent } from "../api/kubernetes-api.js";
import type { KubernetesObject } from "../api/kubernetes-object.js";
import { apiVersionOf, type ObjectRef, type Resource } from "../api/resource.js";
import type { EventQueue } from "./event-queue.js";
import type { Ownership } from "./field-ownership.js";
import { isSelected } from "./selectors.js";

export interface Stored {
  readonly object: KubernetesObject;
  readonly ownership: Ownership;
}

interface Change {
  readonly revision: number;
  readonly resource: string;
  readonly before: KubernetesObject | undefined;
  readonly after: KubernetesObject | undefined;
}

export interface OpenWatch {
  readonly resource: string;
  readonly selection: Selection;
  readonly queue: EventQueue<WatchEvent<KubernetesObject>>;
}

const EXPIRED: Status = { code: 410, reason: "Expired", message: "too old resource version" };

/** Objects, every change of them, and who watches. */
export class FakeStore {
  readonly watches = new Set<OpenWatch>();
  readonly #objects = new Map<string, Map<string, Stored>>();
  #changes: Change[] = [];
  #revision = 100;
  /** Changes up to here are forgotten. */
  #compacted = 0;

  get revision(): number {
    return this.#revision;
  }

  get compacted(): number {
    return this.#compacted;
  }

  get(resource: Resource, ref: ObjectRef): Stored | undefined {
    return this.#objects.get(kindOf(resource))?.get(keyOf(ref));
  }

  /** Sorted by namespace and name, as a list has them. */
  select(resource: Resource, selection: Selection): KubernetesObject[] {
    const all = [...(this.#objects.get(kindOf(resource)) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    return all.map(([, { object }]) => object).filter((object) => isSelected(object, selection));
  }

  /** Stores what `make` makes of the next revision. */
  put(resource: Resource, ref: ObjectRef, make: (resourceVersion: string) => Stored): KubernetesObject {
    const kind = kindOf(resource);
    const before = this.get(resource, ref)?.object;
    const revision = ++this.#revision;
    const stored = make(String(revision));
    const objects = this.#objects.get(kind) ?? new Map<string, Stored>();
    this.#objects.set(kind, objects.set(keyOf(ref), stored));
    this.#record({ revision, resource: kind, before, after: stored.object });
    return stored.object;
  }

  remove(kind: string, object: KubernetesObject): void {
    this.#objects.get(kind)?.delete(keyOf(object.metadata));
    const revision = ++this.#revision;
    const before = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    this.#record({ revision, resource: kind, before, after: undefined });
  }

  /** Removes objects whose owners are all gone, and what those owned. Says how many. */
  collectGarbage(): number {
    let removed = 0;
    for (;;) {
      const all = [...this.#objects].flatMap(([kind, objects]) =>
        [...objects.values()].map(({ object }) => ({ kind, object })),
      );
      const uids = new Set(all.map(({ object }) => object.metadata.uid));
      const orphans = all.filter(({ object: { metadata } }) => {
        const owners = metadata.ownerReferences ?? [];
        return owners.length > 0 && !owners.some(({ uid }) => uids.has(uid));
      });
      if (orphans.length === 0) return removed;
      for (const { kind, object } of orphans) this.remove(kind, object);
      removed += orphans.length;
    }
  }

  /** Forgets what happened until now. */
  compact(): void {
    this.#compacted = this.#revision;
    this.#changes = [];
  }

  /** Tells a watch what has happened since, and from now on. */
  open(watch: OpenWatch, resourceVersion: string): void {
    const from = Number(resourceVersion);
    if (from < this.#compacted) return watch.queue.push({ type: "ERROR", status: EXPIRED });
    this.watches.add(watch);
    for (const change of this.#changes) if (change.revision > from) tell(watch, change);
  }

  #record(change: Change): void {
    this.#changes.push(change);
    for (const watch of this.watches) tell(watch, change);
  }
}

/** A resource by its name and group. */
export function kindOf(resource: Resource): string {
  return `${apiVersionOf(resource)} ${resource.plural}`;
}

const keyOf = ({ namespace = "", name }: { readonly namespace?: string | undefined; readonly name: string }): string =>
  `${namespace}/${name}`;

/** A change as a watch sees it that selects some objects only. */
function tell({ resource, selection, queue }: OpenWatch, { resource: changed, before, after }: Change): void {
  if (resource !== changed) return;
  const was = before !== undefined && isSelected(before, selection);
  const is = after !== undefined && isSelected(after, selection);
  if (is) queue.push({ type: was ? "MODIFIED" : "ADDED", object: structuredClone(after) });
  else if (was) queue.push({ type: "DELETED", object: structuredClone(after ?? before) });
}
