import { setTimeout as sleep } from "node:timers/promises";
import {
  isStatus,
  type KubernetesApi,
  KubernetesError,
  type KubernetesObject,
  type ListQuery,
  type ObjectList,
  type ObjectRef,
  type Patch,
  type PatchOptions,
  type Resource,
} from "@kaas/k8s";

/** On a machine that does much else the API server stands still for seconds, or its etcd does. */
const ANSWER = { timeoutMs: 60_000 };
const PATIENCE_MS = 120_000;
const PAUSE_MS = 500;

/**
 * The API server for a test that does not judge how it answers: what it did not answer, or not now, is asked again. What was
 * done by a request whose answer was lost counts as done by the one that follows.
 */
export class PatientApi implements Omit<KubernetesApi, "watch"> {
  readonly #api: KubernetesApi;

  constructor(api: KubernetesApi) {
    this.#api = api;
  }

  get<T extends KubernetesObject>(resource: Resource<T>, ref: ObjectRef): Promise<T> {
    return again(() => this.#api.get(resource, ref, ANSWER));
  }

  list<T extends KubernetesObject>(resource: Resource<T>, query?: ListQuery): Promise<ObjectList<T>> {
    return again(() => this.#api.list(resource, query, ANSWER));
  }

  create<T extends KubernetesObject>(resource: Resource<T>, object: T): Promise<T> {
    return again(
      () => this.#api.create(resource, object, ANSWER),
      (error) => (isStatus(error, 409) ? this.get(resource, refOf(object)) : undefined),
    );
  }

  replace<T extends KubernetesObject>(resource: Resource<T>, object: T): Promise<T> {
    return again(
      () => this.#api.replace(resource, object, ANSWER),
      (error) => (isStatus(error, 409) ? this.get(resource, refOf(object)) : undefined),
    );
  }

  patch<T extends KubernetesObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options?: Pick<PatchOptions, "subresource">,
  ): Promise<T> {
    return again(() => this.#api.patch(resource, ref, patch, { ...options, ...ANSWER }));
  }

  delete(resource: Resource, ref: ObjectRef): Promise<void> {
    return again(
      () => this.#api.delete(resource, ref, ANSWER),
      (error) => (isStatus(error, 404) ? Promise.resolve() : undefined),
    );
  }

  close(): void {
    this.#api.close();
  }
}

/** @param doneBefore what a refusal means if an attempt before it may have been carried out; undefined: a refusal */
async function again<R>(
  call: () => Promise<R>,
  doneBefore: (error: unknown) => Promise<R> | undefined = () => undefined,
): Promise<R> {
  const began = performance.now();
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await call();
    } catch (error) {
      const done = isFirst ? undefined : doneBefore(error);
      if (done !== undefined) return await done;
      if (!isUnanswered(error) || performance.now() - began > PATIENCE_MS) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

function refOf({ metadata: { name, namespace } }: KubernetesObject): ObjectRef {
  return namespace === undefined ? { name } : { name, namespace };
}

/** No answer, too much to do, or no etcd to ask. */
function isUnanswered(error: unknown): boolean {
  return error instanceof KubernetesError && (error.status === 0 || error.status === 429 || error.status >= 500);
}
