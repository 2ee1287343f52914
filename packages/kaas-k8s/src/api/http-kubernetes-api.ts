import type { IncomingMessage } from "node:http";
import type { Clock } from "@kaas/core";
import type { ApiServerAccess } from "./api-server-access.js";
import { type HttpCall, HttpClient } from "./http-client.js";
import { jsonLines } from "./json-lines.js";
import type {
  CallOptions,
  DeleteOptions,
  KubernetesApi,
  ListQuery,
  ObjectList,
  Patch,
  PatchOptions,
  WatchEvent,
  WatchQuery,
  WriteOptions,
} from "./kubernetes-api.js";
import { KubernetesError, unreachable } from "./kubernetes-error.js";
import type { KubernetesObject } from "./kubernetes-object.js";
import { apiVersionOf, describeRef, type ObjectRef, type Resource } from "./resource.js";
import { listPath, objectPath, watchPath } from "./resource-paths.js";
import { statusOf, watchEventOf } from "./server-answers.js";

/** What a call may take that says nothing else. */
const TIMEOUT_MS = 10_000;

/** The largest answer that is read: a page of a list. */
const ANSWER_BYTES_MAX = 64 << 20;

/** The largest refusal that is read. */
const STATUS_BYTES_MAX = 1 << 20;

const PATCH_TYPES: Readonly<Record<Patch["type"], string>> = {
  // JSON is YAML; the server knows server-side apply by this name only.
  apply: "application/apply-patch+yaml",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
};

/** The API server over HTTP. */
export class HttpKubernetesApi implements KubernetesApi {
  readonly #client: HttpClient;

  constructor(access: ApiServerAccess, clock: Clock) {
    this.#client = new HttpClient(access, clock);
  }

  async get<T extends KubernetesObject>(resource: Resource<T>, ref: ObjectRef, options: CallOptions = {}): Promise<T> {
    return await this.#call<T>(`get ${describeRef(resource, ref)}`, "GET", objectPath(resource, ref), options);
  }

  async list<T extends KubernetesObject>(
    resource: Resource<T>,
    query: ListQuery = {},
    options: CallOptions = {},
  ): Promise<ObjectList<T>> {
    const answer = await this.#call<ListAnswer<T>>(
      `list ${resource.plural}`,
      "GET",
      listPath(resource, query),
      options,
    );
    const { resourceVersion, continue: next } = answer.metadata;
    const kind = { apiVersion: apiVersionOf(resource), kind: resource.kind };
    return {
      // Items of built-in kinds come without what they are.
      items: (answer.items ?? []).map((item) => ({ ...kind, ...item })),
      resourceVersion,
      ...(next === undefined || next === "" ? {} : { continue: next }),
    };
  }

  async *watch<T extends KubernetesObject>(
    resource: Resource<T>,
    query: WatchQuery,
    options: CallOptions = {},
  ): AsyncGenerator<WatchEvent<T>, void> {
    const what = `watch ${resource.plural}`;
    const { response, finish } = await this.#client.open({
      what,
      method: "GET",
      path: watchPath(resource, query),
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      signal: options.signal,
    });
    try {
      if (response.statusCode !== 200) throw await refusal(what, response);
      yield { type: "BOOKMARK", resourceVersion: query.resourceVersion };
      yield* events<T>(what, response);
    } catch (error) {
      throw options.signal?.aborted === true ? options.signal.reason : error;
    } finally {
      finish();
    }
  }

  async create<T extends KubernetesObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const { namespace } = object.metadata;
    const path = objectPath(resource, { ...(namespace === undefined ? {} : { namespace }), name: "" }, options);
    return await this.#call<T>(`create ${describeRef(resource, refOf(object))}`, "POST", path, options, object);
  }

  async replace<T extends KubernetesObject>(resource: Resource<T>, object: T, options: PatchOptions = {}): Promise<T> {
    const ref = refOf(object);
    const path = objectPath(resource, ref, options);
    return await this.#call<T>(`replace ${describeRef(resource, ref)}`, "PUT", path, options, object);
  }

  async patch<T extends KubernetesObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options: PatchOptions = {},
  ): Promise<T> {
    const applied = patch.type === "apply" ? { fieldManager: patch.fieldManager, force: patch.isForced ?? false } : {};
    const path = objectPath(resource, ref, { ...options, ...applied });
    const what = `patch ${describeRef(resource, ref)}`;
    return await this.#call<T>(what, "PATCH", path, options, patch.object, PATCH_TYPES[patch.type]);
  }

  async delete(resource: Resource, ref: ObjectRef, options: DeleteOptions = {}): Promise<void> {
    const { uid, resourceVersion, propagation = "Background" } = options;
    const body = {
      apiVersion: "v1",
      kind: "DeleteOptions",
      propagationPolicy: propagation,
      preconditions: {
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
    };
    await this.#call(`delete ${describeRef(resource, ref)}`, "DELETE", objectPath(resource, ref), options, body);
  }

  close(): void {
    this.#client.close();
  }

  async #call<R>(
    what: string,
    method: string,
    path: string,
    options: CallOptions,
    body?: object,
    contentType?: string,
  ): Promise<R> {
    const call: HttpCall = {
      what,
      method,
      path,
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      signal: options.signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(contentType === undefined ? {} : { contentType }),
    };
    const { response, body: bytes } = await this.#client.readAll(call, ANSWER_BYTES_MAX);
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) {
      throw new KubernetesError(what, statusOf(status, response.headers["retry-after"], bytes.toString("utf8")));
    }
    try {
      return JSON.parse(bytes.toString("utf8")) as R;
    } catch (cause) {
      // Something that is not an API server, such as a proxy's page.
      throw unreachable(what, "what answered is no API server", cause);
    }
  }
}

interface ListAnswer<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly T[] | null;
}

const refOf = ({ metadata: { namespace, name } }: KubernetesObject): ObjectRef =>
  namespace === undefined ? { name } : { namespace, name };

async function* events<T extends KubernetesObject>(
  what: string,
  response: IncomingMessage,
): AsyncGenerator<WatchEvent<T>, void> {
  try {
    for await (const line of jsonLines(response)) yield watchEventOf<T>(line);
  } catch (error) {
    throw unreachable(what, (error as Error).message, error);
  }
}

async function refusal(what: string, response: IncomingMessage): Promise<KubernetesError> {
  let text = "";
  for await (const chunk of response as AsyncIterable<Buffer>) {
    text += chunk.toString("utf8");
    if (text.length > STATUS_BYTES_MAX) break;
  }
  return new KubernetesError(what, statusOf(response.statusCode ?? 0, response.headers["retry-after"], text));
}
