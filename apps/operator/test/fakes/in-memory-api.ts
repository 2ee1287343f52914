import type {
  CallOptions,
  DeleteOptions,
  KubernetesApi,
  KubernetesObject,
  ListQuery,
  ObjectList,
  ObjectRef,
  Patch,
  PatchOptions,
  Resource,
  Selection,
  WatchEvent,
  WatchQuery,
  WriteOptions,
} from "@kaas/k8s";
import { KubernetesError } from "@kaas/k8s";
import { formatProblems, validateResource } from "@kaas/operator-api";
import { mergePatch, without } from "./merge-patch.js";

type Stored = KubernetesObject & Record<string, unknown>;

/** What watches are told, and have been told. */
interface Told {
  readonly version: number;
  readonly plural: string;
  readonly event: { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubernetesObject };
}

/** One call of the API, for tests that count. */
export interface RecordedCall {
  readonly verb: "get" | "list" | "watch" | "create" | "replace" | "patch" | "delete";
  readonly plural: string;
  readonly name: string;
  readonly subresource?: string;
}

/**
 * An API server in memory, as far as the operator needs one: versions of objects and conflicts, watches, the status
 * beside the rest, server-side apply of one manager, defaults and rules of the custom resources, and garbage collection.
 */
export class InMemoryApi implements KubernetesApi {
  readonly calls: RecordedCall[] = [];
  /** Asked before every call; what it throws is the answer. */
  intercept: (call: RecordedCall) => void = () => {};
  /** Groups whose resources are not there, as on a cluster that has not got them. */
  readonly missingGroups = new Set<string>();
  readonly #objects = new Map<string, Stored>();
  readonly #applied = new Map<string, object>();
  readonly #watches = new Set<Watch>();
  readonly #history: Told[] = [];
  #version = 100;
  #uids = 0;

  async get<T extends KubernetesObject>(resource: Resource<T>, ref: ObjectRef): Promise<T> {
    this.#called("get", resource, ref.name);
    return copy(this.#existing(resource, ref)) as unknown as T;
  }

  async list<T extends KubernetesObject>(resource: Resource<T>, query: ListQuery = {}): Promise<ObjectList<T>> {
    this.#called("list", resource, "");
    const items = this.all(resource, query);
    return { items, resourceVersion: String(this.#version) };
  }

  async *watch<T extends KubernetesObject>(
    resource: Resource<T>,
    query: WatchQuery,
    options: CallOptions = {},
  ): AsyncIterable<WatchEvent<T>> {
    this.#called("watch", resource, "");
    const watch = new Watch(resource, query);
    watch.push({ type: "BOOKMARK", resourceVersion: query.resourceVersion });
    for (const told of this.#history) if (told.version > Number(query.resourceVersion)) watch.offer(told);
    this.#watches.add(watch);
    const end = (): void => watch.end();
    options.signal?.addEventListener("abort", end);
    try {
      for (;;) {
        const event = await watch.next();
        if (event === undefined) break;
        yield event as WatchEvent<T>;
      }
      options.signal?.throwIfAborted();
    } finally {
      this.#watches.delete(watch);
      options.signal?.removeEventListener("abort", end);
    }
  }

  async create<T extends KubernetesObject>(resource: Resource<T>, object: T, _options?: WriteOptions): Promise<T> {
    this.#called("create", resource, object.metadata.name);
    if (this.#objects.has(keyOf(resource, refOf(object)))) {
      throw refused(409, "AlreadyExists", `${resource.plural} ${object.metadata.name} exists`);
    }
    return copy(this.#store(resource, copy(object) as unknown as Stored, undefined)) as unknown as T;
  }

  async replace<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    { subresource }: PatchOptions = {},
  ): Promise<T> {
    this.#called("replace", resource, object.metadata.name, subresource);
    const before = this.#existing(resource, refOf(object));
    return this.#change(resource, before, copy(object) as unknown as Stored, subresource) as unknown as T;
  }

  async patch<T extends KubernetesObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    { subresource }: PatchOptions = {},
  ): Promise<T> {
    this.#called("patch", resource, ref.name, subresource);
    if (patch.type === "apply") return this.#apply(resource, ref, patch.object, subresource) as unknown as T;
    const before = this.#existing(resource, ref);
    const after = mergePatch(copy(before), patch.object) as Stored;
    return this.#change(resource, before, after, subresource) as unknown as T;
  }

  async delete(resource: Resource, ref: ObjectRef, options: DeleteOptions = {}): Promise<void> {
    this.#called("delete", resource, ref.name);
    const object = this.#existing(resource, ref);
    if (options.uid !== undefined && options.uid !== object.metadata.uid) {
      throw refused(409, "Conflict", "another object has the name");
    }
    this.#remove(resource, object);
  }

  close(): void {
    for (const watch of this.#watches) watch.end();
  }

  /** Every object of a resource, without a call. */
  all<T extends KubernetesObject>(resource: Resource<T>, selection: Selection = {}): T[] {
    return [...this.#objects]
      .filter(([key, object]) => key.startsWith(`${resource.plural}/`) && isSelected(object, selection))
      .map(([, object]) => copy(object) as unknown as T);
  }

  /** An object as it is now, without a call. */
  peek<T extends KubernetesObject>(resource: Resource<T>, ref: ObjectRef): T | undefined {
    const object = this.#objects.get(keyOf(resource, ref));
    return object === undefined ? undefined : (copy(object) as unknown as T);
  }

  /** Ends every watch, as an API server that restarts does. */
  cutWatches(): void {
    for (const watch of this.#watches) watch.end();
  }

  #apply(resource: Resource, ref: ObjectRef, object: object, subresource: string | undefined): Stored {
    const key = keyOf(resource, ref);
    const before = this.#objects.get(key);
    const applied = this.#applied.get(key);
    this.#applied.set(key, copy(object));
    if (before === undefined) return copy(this.#store(resource, copy(object) as Stored, undefined));
    const cleared = applied === undefined ? copy(before) : without(copy(before), applied, object);
    return this.#change(resource, before, mergePatch(cleared, object) as Stored, subresource);
  }

  #change(resource: Resource, before: Stored, after: Stored, subresource: string | undefined): Stored {
    const expected = after.metadata.resourceVersion;
    if (expected !== undefined && expected !== before.metadata.resourceVersion) {
      throw refused(409, "Conflict", "the object has been modified");
    }
    const kept =
      subresource === "status" ? { ...before, status: after["status"] } : { ...after, status: before["status"] };
    return copy(this.#store(resource, kept as Stored, before));
  }

  #store(resource: Resource, object: Stored, before: Stored | undefined): Stored {
    const admitted = admit(object, before);
    const isSpecSame = before !== undefined && same(before["spec"], admitted["spec"]);
    if (isSpecSame && same(before, admitted)) return before;
    const { creationTimestamp = "2026-01-01T00:00:00Z" } = before?.metadata ?? admitted.metadata;
    const metadata = {
      ...admitted.metadata,
      uid: before?.metadata.uid ?? `uid-${++this.#uids}`,
      creationTimestamp,
      generation: (before?.metadata.generation ?? 0) + (isSpecSame ? 0 : 1),
      resourceVersion: String(++this.#version),
    };
    const stored: Stored = { ...admitted, metadata };
    this.#objects.set(keyOf(resource, refOf(stored)), stored);
    this.#tell(resource, before === undefined ? "ADDED" : "MODIFIED", stored);
    return stored;
  }

  /** With what it owns, as the garbage collector does a little later. */
  #remove(resource: Resource, object: Stored): void {
    const key = keyOf(resource, refOf(object));
    this.#objects.delete(key);
    this.#applied.delete(key);
    this.#version++;
    this.#tell(resource, "DELETED", object);
    for (const [ownedKey, owned] of [...this.#objects]) {
      if (!owned.metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid)) continue;
      const [plural = ""] = ownedKey.split("/");
      this.#remove({ group: "", version: "", kind: owned.kind, plural, isNamespaced: true }, owned);
    }
  }

  #tell(resource: Resource, type: "ADDED" | "MODIFIED" | "DELETED", object: Stored): void {
    const told = { version: this.#version, plural: resource.plural, event: { type, object: copy(object) } };
    this.#history.push(told);
    for (const watch of this.#watches) watch.offer(told);
  }

  #existing(resource: Resource, ref: ObjectRef): Stored {
    const object = this.#objects.get(keyOf(resource, ref));
    if (object === undefined) throw refused(404, "NotFound", `${resource.plural} ${ref.name} not found`);
    return object;
  }

  #called(verb: RecordedCall["verb"], resource: Resource, name: string, subresource?: string): void {
    const call = { verb, plural: resource.plural, name, ...(subresource === undefined ? {} : { subresource }) };
    this.calls.push(call);
    this.intercept(call);
    if (this.missingGroups.has(resource.group)) throw refused(404, "NotFound", "page not found");
  }
}

class Watch {
  readonly #resource: Resource;
  readonly #selection: Selection;
  readonly #events: WatchEvent<KubernetesObject>[] = [];
  #wake: () => void = () => {};
  #isEnded = false;

  constructor(resource: Resource, selection: Selection) {
    this.#resource = resource;
    this.#selection = selection;
  }

  offer({ plural, event }: Told): void {
    if (plural === this.#resource.plural && isSelected(event.object, this.#selection)) this.push(event);
  }

  push(event: WatchEvent<KubernetesObject>): void {
    this.#events.push(event);
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async next(): Promise<WatchEvent<KubernetesObject> | undefined> {
    while (this.#events.length === 0 && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#events.shift();
  }
}

/** Custom resources get their defaults, and are refused as an API server refuses them. */
function admit(object: Stored, before: Stored | undefined): Stored {
  if (!object.apiVersion.startsWith("kaas.rs/")) return object;
  const result = validateResource(object, before);
  if (!result.ok) throw refused(422, "Invalid", formatProblems(result.problems));
  return { ...object, ...(result.resource as unknown as Stored), metadata: object.metadata };
}

function isSelected({ metadata }: KubernetesObject, { namespace, labelSelector, fieldSelector }: Selection): boolean {
  const labels = (labelSelector ?? "").split(",").filter((part) => part !== "");
  return (
    (namespace === undefined || metadata.namespace === namespace) &&
    (fieldSelector === undefined || fieldSelector === `metadata.name=${metadata.name}`) &&
    labels.every((part) => {
      const [name = "", value] = part.split("=");
      const label = metadata.labels?.[name];
      return value === undefined ? label !== undefined : label === value;
    })
  );
}

function refused(code: number, reason: string, message: string): KubernetesError {
  return new KubernetesError("in memory", { code, reason, message });
}

function refOf({ metadata: { name, namespace } }: KubernetesObject): ObjectRef {
  return namespace === undefined ? { name } : { name, namespace };
}

function keyOf({ plural }: Resource, { name, namespace = "" }: ObjectRef): string {
  return `${plural}/${namespace}/${name}`;
}

function copy<T>(value: T): T {
  return structuredClone(value);
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
