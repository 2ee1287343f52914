import type { Clock } from "@kaas/core";
import type {
  CallOptions,
  DeleteOptions,
  KubernetesApi,
  ListQuery,
  ObjectList,
  Patch,
  PatchOptions,
  Status,
  WatchEvent,
  WatchQuery,
  WriteOptions,
} from "../api/kubernetes-api.js";
import { KubernetesError, unreachable } from "../api/kubernetes-error.js";
import type { KubernetesObject } from "../api/kubernetes-object.js";
import { apiVersionOf, describeRef, type ObjectRef, type Resource } from "../api/resource.js";
import { EventQueue } from "./event-queue.js";
import { type Failure, type FakeCall, FakeFailures, hang, type Verb } from "./fake-failures.js";
import { FakeStore, kindOf, type OpenWatch, type Stored } from "./fake-store.js";
import { applyFields, isSameOwnership, type Ownership, ownershipAfterUpdate } from "./field-ownership.js";
import { type Fields, merge, withLists, withoutLists } from "./keyed-lists.js";
import { keepOther, specOf, withoutIdentity } from "./object-parts.js";

export interface FakeOptions {
  /** For timestamps, for timeouts, and for watches that end. */
  readonly clock: Clock;
  /** An object with its defaults, or what stands against it, as a CustomResourceDefinition would say it. */
  readonly admit?: (object: KubernetesObject, before: KubernetesObject | undefined) => KubernetesObject | string;
}

/**
 * An API server in memory: resource versions, conflicts, finalizers, generations, the status subresource, paging,
 * watches with bookmarks and 410, server-side apply with ownership, and failures on demand. Types of fields are not
 * checked and nothing is defaulted, but for what a test lets `admit` do.
 */
export class FakeKubernetesApi implements KubernetesApi {
  /** All calls so far, those that failed included. */
  readonly calls: FakeCall[] = [];
  /** Asked about every call, before it is done; what it throws is the answer. */
  intercept: (call: FakeCall) => void = () => {};
  /** Groups whose resources are not there, as on a cluster that has not got them. */
  readonly missingGroups = new Set<string>();
  /** Cleared, every call fails and every watch is broken, until it is set again. */
  #isReachable = true;
  readonly #options: FakeOptions;
  readonly #store = new FakeStore();
  readonly #failures = new FakeFailures();
  readonly #pages = new Map<string, { readonly items: readonly KubernetesObject[]; readonly revision: number }>();
  #uids = 0;

  constructor(options: FakeOptions) {
    this.#options = options;
  }

  // What tests do to it.

  /** Fails the next `times` calls that match. */
  fail(call: Partial<FakeCall>, failure: Failure, times = 1): void {
    this.#failures.add(call, failure, times);
  }

  setReachable(isReachable: boolean): void {
    this.#isReachable = isReachable;
    if (!isReachable) this.breakWatches();
  }

  /** As a connection that is reset. */
  breakWatches(): void {
    this.#endWatches((queue) => queue.end(unreachable("watch", "socket hang up")));
  }

  /** As a server that ends watches in order. */
  endWatches(): void {
    this.#endWatches((queue) => queue.end());
  }

  /** As a server that says why. */
  refuseWatches(status: Status): void {
    this.#endWatches((queue) => {
      queue.push({ type: "ERROR", status });
      queue.end();
    });
  }

  sendBookmarks(): void {
    const resourceVersion = String(this.#store.revision);
    for (const { queue } of this.#store.watches) queue.push({ type: "BOOKMARK", resourceVersion });
  }

  /** Forgets history: watches from before, and lists that are half read, are answered 410. */
  compact(): void {
    this.#store.compact();
    this.#pages.clear();
  }

  get openWatches(): number {
    return this.#store.watches.size;
  }

  /** Removes objects whose owners are all gone, and what those owned. Says how many. */
  collectGarbage(): number {
    return this.#store.collectGarbage();
  }

  /** Every object of a resource, without a call. */
  all<T extends KubernetesObject>(resource: Resource<T>): T[] {
    return structuredClone(this.#store.select(resource, {})) as T[];
  }

  /** An object as it is now, without a call. */
  peek<T extends KubernetesObject>(resource: Resource<T>, ref: ObjectRef): T | undefined {
    return structuredClone(this.#store.get(resource, ref)?.object) as T | undefined;
  }

  // What the code under test does.

  async get<T extends KubernetesObject>(resource: Resource<T>, ref: ObjectRef, options: CallOptions = {}): Promise<T> {
    return await this.#do("get", resource, ref.name, options, () => this.#existing(resource, ref).object as T);
  }

  async list<T extends KubernetesObject>(
    resource: Resource<T>,
    query: ListQuery = {},
    options: CallOptions = {},
  ): Promise<ObjectList<T>> {
    return await this.#do("list", resource, undefined, options, () => {
      const page = this.#page(resource, query);
      const { limit = page.items.length } = query;
      const rest = page.items.slice(limit);
      const token = `${page.revision}/${rest.length}/${++this.#uids}`;
      if (rest.length > 0) this.#pages.set(token, { items: rest, revision: page.revision });
      return {
        items: page.items.slice(0, limit) as T[],
        resourceVersion: String(page.revision),
        ...(rest.length > 0 ? { continue: token } : {}),
      };
    });
  }

  async *watch<T extends KubernetesObject>(
    resource: Resource<T>,
    query: WatchQuery,
    options: CallOptions = {},
  ): AsyncGenerator<WatchEvent<T>, void> {
    const queue = new EventQueue<WatchEvent<KubernetesObject>>();
    const watch: OpenWatch = { resource: kindOf(resource), selection: query, queue };
    const abort = (): void => queue.end(options.signal?.reason as Error);
    const ending = this.#options.clock.schedule(query.timeoutSeconds * 1000, () => queue.end());
    options.signal?.addEventListener("abort", abort);
    try {
      await this.#do("watch", resource, undefined, options, () => this.#store.open(watch, query.resourceVersion));
      yield { type: "BOOKMARK", resourceVersion: query.resourceVersion };
      yield* queue.values() as AsyncGenerator<WatchEvent<T>, void>;
    } finally {
      ending.cancel();
      options.signal?.removeEventListener("abort", abort);
      this.#store.watches.delete(watch);
    }
  }

  async create<T extends KubernetesObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<T> {
    return await this.#do("create", resource, object.metadata.name, options, () => {
      const ref = refOf(object);
      if (this.#store.get(resource, ref) !== undefined) {
        throw refusal(resource, ref, 409, "AlreadyExists", "already exists");
      }
      const { status: _, ...given } = object as unknown as { status?: unknown } & KubernetesObject;
      return this.#put(resource, ref, undefined, given, options) as T;
    });
  }

  async replace<T extends KubernetesObject>(resource: Resource<T>, object: T, options: PatchOptions = {}): Promise<T> {
    return await this.#do("replace", resource, object.metadata.name, options, () => {
      const stored = this.#existing(resource, refOf(object));
      return this.#put(resource, refOf(object), stored, object, options) as T;
    });
  }

  async patch<T extends KubernetesObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options: PatchOptions = {},
  ): Promise<T> {
    return await this.#do("patch", resource, ref.name, options, () => {
      if (patch.type === "apply") return this.#apply(resource, ref, patch, options) as T;
      const stored = this.#existing(resource, ref);
      const isStrategic = patch.type === "strategic";
      const merged = isStrategic
        ? withLists(merge(withoutLists(stored.object), withoutLists(patch.object)))
        : merge(stored.object, patch.object);
      return this.#put(resource, ref, stored, merged as KubernetesObject, options) as T;
    });
  }

  async delete(resource: Resource, ref: ObjectRef, options: DeleteOptions = {}): Promise<void> {
    await this.#do("delete", resource, ref.name, options, () => {
      const stored = this.#existing(resource, ref);
      const { metadata } = stored.object;
      this.#requireSame(resource, ref, stored, options.uid, options.resourceVersion);
      if ((metadata.finalizers ?? []).length === 0) return this.#store.remove(kindOf(resource), stored.object);
      if (metadata.deletionTimestamp !== undefined) return undefined;
      const deletionTimestamp = this.#timestamp();
      this.#store.put(resource, ref, (resourceVersion) => ({
        ...stored,
        object: { ...stored.object, metadata: { ...metadata, deletionTimestamp, resourceVersion } },
      }));
      return undefined;
    });
  }

  close(): void {
    this.breakWatches();
  }

  async #do<R>(
    verb: Verb,
    resource: Resource,
    name: string | undefined,
    options: CallOptions,
    work: () => R,
  ): Promise<R> {
    const call = { verb, plural: resource.plural, name };
    this.calls.push(call);
    // Nothing is answered within the turn of the event loop in which it was asked.
    await Promise.resolve();
    options.signal?.throwIfAborted();
    if (!this.#isReachable) throw unreachable(verb, "connect ECONNREFUSED");
    this.intercept(call);
    if (this.missingGroups.has(resource.group)) {
      throw new KubernetesError(verb, { code: 404, reason: "NotFound", message: "page not found" });
    }
    const failure = this.#failures.next(call);
    if (failure === "unreachable") throw unreachable(verb, "socket hang up");
    if (failure !== undefined && typeof failure !== "string") throw new KubernetesError(verb, failure);
    if (failure === "hang") return await hang(this.#options.clock, verb, options);
    const result = work();
    if (failure === "lost-answer") return await hang(this.#options.clock, verb, options);
    return structuredClone(result);
  }

  #page(resource: Resource, query: ListQuery) {
    if (query.continue === undefined) {
      return { items: this.#store.select(resource, query), revision: this.#store.revision };
    }
    const page = this.#pages.get(query.continue);
    if (page !== undefined) return page;
    const message = "The provided continue parameter is too old";
    throw new KubernetesError(`list ${resource.plural}`, { code: 410, reason: "Expired", message });
  }

  #existing(resource: Resource, ref: ObjectRef): Stored {
    const stored = this.#store.get(resource, ref);
    if (stored === undefined) throw refusal(resource, ref, 404, "NotFound", "not found");
    return stored;
  }

  #apply(
    resource: Resource,
    ref: ObjectRef,
    { object, fieldManager, isForced = false }: Patch & { type: "apply" },
    options: PatchOptions,
  ): KubernetesObject {
    const { apiVersion: _a, kind: _k, metadata: meta, ...body } = object as KubernetesObject & Fields;
    const { name: _n, namespace: _ns, uid, resourceVersion, ...metadata } = meta;
    const wanted = { ...body, ...(Object.keys(metadata).length === 0 ? {} : { metadata }) };
    const stored = this.#store.get(resource, ref);
    if (stored === undefined && (uid !== undefined || options.subresource !== undefined)) {
      throw refusal(resource, ref, uid === undefined ? 404 : 409, "NotFound", "not found");
    }
    if (stored !== undefined) this.#requireSame(resource, ref, stored, uid, resourceVersion);
    const before = stored?.object ?? { metadata: ref };
    const applied = applyFields({ ...before }, stored?.ownership ?? new Map(), wanted, fieldManager, isForced);
    if ("conflict" in applied) throw refusal(resource, ref, 409, "Conflict", applied.conflict);
    return this.#put(resource, ref, stored, applied.fields as unknown as KubernetesObject, options, applied.ownership);
  }

  /** Stores a new state of an object as the server would: what the caller may not change stays as it was. */
  #put(
    resource: Resource,
    ref: ObjectRef,
    stored: Stored | undefined,
    wanted: KubernetesObject,
    options: PatchOptions,
    ownership?: Ownership,
  ): KubernetesObject {
    const before = stored?.object;
    if (stored !== undefined) {
      this.#requireSame(resource, ref, stored, wanted.metadata.uid, wanted.metadata.resourceVersion);
    }
    const content = before === undefined ? wanted : keepOther(before, wanted, options.subresource);
    const admitted = this.#admitted(resource, ref, content, before);
    const next = this.#completed(ref, admitted, before);
    if (options.isDryRun === true) return next;
    const isSame = before !== undefined && JSON.stringify(next) === JSON.stringify(before);
    if (isSame && (ownership === undefined || isSameOwnership(ownership, stored?.ownership))) return before;
    if (next.metadata.deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0) {
      this.#store.remove(kindOf(resource), next);
      return next;
    }
    const manager = options.fieldManager ?? "unknown";
    const owners =
      ownership ??
      ownershipAfterUpdate(
        { ...withoutIdentity(before) },
        { ...withoutIdentity(next) },
        stored?.ownership ?? new Map(),
        manager,
      );
    return this.#store.put(resource, ref, (resourceVersion) => ({
      object: { ...next, metadata: { ...next.metadata, resourceVersion } },
      ownership: owners,
    }));
  }

  #admitted(
    resource: Resource,
    ref: ObjectRef,
    content: KubernetesObject,
    before: KubernetesObject | undefined,
  ): KubernetesObject {
    const object = { ...content, apiVersion: apiVersionOf(resource), kind: resource.kind };
    const admitted = this.#options.admit?.(object, before) ?? object;
    if (typeof admitted === "string") throw refusal(resource, ref, 422, "Invalid", admitted);
    return admitted;
  }

  #completed(ref: ObjectRef, content: KubernetesObject, before: KubernetesObject | undefined): KubernetesObject {
    const isSpecChanged = before === undefined || specOf(before) !== specOf(content);
    const { resourceVersion, deletionTimestamp } = before?.metadata ?? {};
    return {
      ...content,
      metadata: {
        ...content.metadata,
        ...ref,
        uid: before?.metadata.uid ?? `uid-${++this.#uids}`,
        creationTimestamp: before?.metadata.creationTimestamp ?? this.#timestamp(),
        generation: (before?.metadata.generation ?? 0) + (isSpecChanged ? 1 : 0),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      },
    };
  }

  #requireSame(
    resource: Resource,
    ref: ObjectRef,
    { object: { metadata } }: Stored,
    uid: string | undefined,
    resourceVersion: string | undefined,
  ): void {
    const isOther =
      (uid !== undefined && uid !== metadata.uid) ||
      (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion);
    if (isOther) throw refusal(resource, ref, 409, "Conflict", "the object has been modified");
  }

  #endWatches(end: (queue: OpenWatch["queue"]) => void): void {
    for (const watch of this.#store.watches) {
      this.#store.watches.delete(watch);
      end(watch.queue);
    }
  }

  /** Kubernetes counts in seconds. */
  #timestamp(): string {
    return new Date(this.#options.clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
  }
}

const refOf = ({ metadata: { namespace, name } }: KubernetesObject): ObjectRef =>
  namespace === undefined ? { name } : { namespace, name };

const refusal = (resource: Resource, ref: ObjectRef, code: number, reason: string, message: string): KubernetesError =>
  new KubernetesError(describeRef(resource, ref), { code, reason, message });
