import type { KubernetesObject } from "./kubernetes-object.js";
import type { ObjectRef, Resource } from "./resource.js";

/** For every call. */
export interface CallOptions {
  /** Ends the call; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** How long an answer may take in all. The API's own default where it is left out. */
  readonly timeoutMs?: number;
}

/** Which objects of a resource. */
export interface Selection {
  /** Left out: of all namespaces. */
  readonly namespace?: string;
  /** Such as `app=kaas,tier!=test`. */
  readonly labelSelector?: string;
  /** Such as `metadata.name=kaas-0`. */
  readonly fieldSelector?: string;
}

/** Which objects are listed, and which page of them. */
export interface ListQuery extends Selection {
  /** At most so many objects in one answer. */
  readonly limit?: number;
  /** `continue` of the answer before, for the next page. */
  readonly continue?: string;
}

/** A page of a list; all pages of one list are from the same moment. */
export interface ObjectList<T extends KubernetesObject> {
  readonly items: readonly T[];
  /** Of the list as a whole: where to watch from. */
  readonly resourceVersion: string;
  /** There is more: ask again with it. */
  readonly continue?: string;
}

/** Which changes are watched, and for how long. */
export interface WatchQuery extends Selection {
  /** Changes after it. */
  readonly resourceVersion: string;
  /** The server ends the watch after so long. */
  readonly timeoutSeconds: number;
}

/** An answer of the API server that is no object: why something did not work. */
export interface Status {
  /** Such as 410. */
  readonly code: number;
  /** Such as `Expired`. */
  readonly reason: string;
  readonly message: string;
  /** How long to wait before the next attempt, where the server says so. */
  readonly retryAfterSeconds?: number;
}

/** What a watch tells: a change, that there was none, or why it ends. */
export type WatchEvent<T extends KubernetesObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  /** Nothing has changed up to here. */
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string }
  | { readonly type: "ERROR"; readonly status: Status };

/** For calls that change something. */
export interface WriteOptions extends CallOptions {
  /** Who is named as the owner of the fields that are set. */
  readonly fieldManager?: string;
  /** Checked and answered, not stored. */
  readonly isDryRun?: boolean;
}

/** For calls that change a part of an object; its status is a part of its own. */
export interface PatchOptions extends WriteOptions {
  readonly subresource?: "status";
}

/** A change of an object. */
export type Patch =
  /**
   * Server-side apply: all that its field manager wants of the object. What the manager wanted before and does not
   * name any more goes, unless somebody else wants it. Creates what is not there (which takes the right to create).
   */
  | { readonly type: "apply"; readonly object: object; readonly fieldManager: string; readonly isForced?: boolean }
  /** RFC 7396: objects are merged, `null` removes, everything else replaces. */
  | { readonly type: "merge"; readonly object: object }
  /** Kubernetes' own: as merge, but lists of the built-in kinds are merged by their keys. */
  | { readonly type: "strategic"; readonly object: object };

/** What is deleted, if it is still that, and what goes with it. */
export interface DeleteOptions extends CallOptions {
  /** Refused with a conflict if the object is another one by now. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** What becomes of objects that it owns; removed in the background where it is left out. */
  readonly propagation?: "Background" | "Foreground" | "Orphan";
}

/**
 * The API server. Every call rejects with a `KubernetesError` when the server refuses or cannot be reached, and never
 * waits longer than its timeout.
 */
export interface KubernetesApi {
  /** One object as it is now; `KAAS_KUBERNETES_NOT_FOUND` where there is none. */
  get<T extends KubernetesObject>(resource: Resource<T>, ref: ObjectRef, options?: CallOptions): Promise<T>;

  /** One page of the objects of a resource. */
  list<T extends KubernetesObject>(
    resource: Resource<T>,
    query?: ListQuery,
    options?: CallOptions,
  ): Promise<ObjectList<T>>;

  /**
   * Changes as they happen, bookmarks among them. Begins with a bookmark of where it starts, once the server has accepted
   * it; the timeout is for that. Ends when the server ends it, throws when the connection breaks, and is closed by
   * leaving the loop or by the signal.
   */
  watch<T extends KubernetesObject>(
    resource: Resource<T>,
    query: WatchQuery,
    options?: CallOptions,
  ): AsyncIterable<WatchEvent<T>>;

  /** Refused with a conflict (`AlreadyExists`) where there is an object of the name. */
  create<T extends KubernetesObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T>;

  /** Replaces an object; with a `resourceVersion` in it, only if nobody changed it since. */
  replace<T extends KubernetesObject>(resource: Resource<T>, object: T, options?: PatchOptions): Promise<T>;

  /** Changes an object, whatever else was changed since it was read; answers what it is then. */
  patch<T extends KubernetesObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options?: PatchOptions,
  ): Promise<T>;

  /** Asks for an object to be deleted. It may stay until what it owns is gone, or its finalizers are. */
  delete(resource: Resource, ref: ObjectRef, options?: DeleteOptions): Promise<void>;

  /** Ends all calls and watches that are under way, and closes the connections. */
  close(): void;
}
