import type { Clock } from "@kaas/core";
import { EventQueue } from "../../../packages/kaas-k8s/src/testing/event-queue.js";
import { FakeKubernetesApi } from "../../../packages/kaas-k8s/src/testing/fake-kubernetes-api.js";
import type {
  CallOptions,
  KubernetesApi,
  ListQuery,
  ObjectList,
  WatchEvent,
  WatchQuery,
} from "../../../packages/kaas-k8s/src/api/kubernetes-api.js";
import { unreachable } from "../../../packages/kaas-k8s/src/api/kubernetes-error.js";
import type { KubernetesObject } from "../../../packages/kaas-k8s/src/api/kubernetes-object.js";
import type { Resource } from "../../../packages/kaas-k8s/src/api/resource.js";
import { LEASES } from "../../../packages/kaas-k8s/src/lease/lease-resource.js";
import type { Scheduler } from "../../../packages/kaas-storage/src/testing/simulated/scheduler.js";
import type { Host, Network } from "./network.js";

const API_SERVER = "api-server";
const NAMESPACE = "events";
const CALL_TIMEOUT_MS = 30_000;
/** What was on its way to a watcher comes so long after the way is free again, at most: TCP waits between attempts. */
const RETRANSMISSION_MS_MAX = 8_000;

/** The one API server: an object store that goes away, alone or with the way to it. */
export class ApiServer {
  /** Its machine, on the network. */
  static readonly hostName: string = API_SERVER;
  readonly #fake: FakeKubernetesApi;
  readonly #network: Network;
  #goneUntilMs = 0;
  #awaySinceMs = 0;
  #isOver = false;

  constructor(network: Network) {
    this.#network = network;
    this.#fake = new FakeKubernetesApi({ clock: clockOf(network.scheduler) });
  }

  /** Whether brokers get answers. */
  get isThere(): boolean {
    return this.#network.scheduler.now >= this.#goneUntilMs && !this.#network.isCut(API_SERVER);
  }

  /** For how long brokers have got no answers. */
  get awayMs(): number {
    return this.isThere ? 0 : this.#network.scheduler.now - this.#awaySinceMs;
  }

  /** Its process ends and comes back: connections are reset, and none is taken. */
  end(durationMs: number): void {
    const { scheduler } = this.#network;
    this.#leaves();
    this.#goneUntilMs = Math.max(this.#goneUntilMs, scheduler.now + durationMs);
    this.#fake.setReachable(false);
    scheduler.after(durationMs, () => this.#return());
  }

  /** Nothing gets to it or back: connections stay, and are silent. */
  cutOff(durationMs: number): void {
    this.#leaves();
    this.#network.isolate(API_SERVER, durationMs);
  }

  /** Nothing keeps it away any more. */
  calm(): void {
    this.#isOver = true;
    this.#return();
  }

  /** Somebody changes the Lease by hand. */
  async tamper(kind: "removed" | "taken"): Promise<void> {
    const [lease] = this.#fake.all(LEASES);
    if (lease === undefined || !this.isThere) return;
    const { name, resourceVersion: _, ...metadata } = lease.metadata;
    if (kind === "removed") return this.#fake.delete(LEASES, { namespace: NAMESPACE, name });
    const spec = { ...lease.spec, holderIdentity: "a thief", leaseDurationSeconds: 1 };
    await this.#fake.replace(LEASES, { ...lease, metadata: { ...metadata, name }, spec });
  }

  /** As one process sees it. */
  of(host: Host): KubernetesApi {
    return new ApiClient(this.#fake, this.#network, host);
  }

  #leaves(): void {
    if (this.isThere) this.#awaySinceMs = this.#network.scheduler.now;
  }

  #return(): void {
    if (this.#isOver || this.#network.scheduler.now >= this.#goneUntilMs) {
      this.#goneUntilMs = 0;
      this.#fake.setReachable(true);
    }
  }
}

/** A process's way to the API server, and back. */
class ApiClient implements KubernetesApi {
  readonly #server: FakeKubernetesApi;
  readonly #network: Network;
  readonly #host: Host;

  constructor(server: FakeKubernetesApi, network: Network, host: Host) {
    this.#server = server;
    this.#network = network;
    this.#host = host;
  }

  get: KubernetesApi["get"] = (resource, ref, options) => this.#call(() => this.#server.get(resource, ref), options);

  list<T extends KubernetesObject>(
    resource: Resource<T>,
    query: ListQuery = {},
    options: CallOptions = {},
  ): Promise<ObjectList<T>> {
    return this.#call(() => this.#server.list(resource, query), options);
  }

  create: KubernetesApi["create"] = (resource, object, options) =>
    this.#call(() => this.#server.create(resource, object, atServer(options)), options);

  replace: KubernetesApi["replace"] = (resource, object, options) =>
    this.#call(() => this.#server.replace(resource, object, atServer(options)), options);

  patch: KubernetesApi["patch"] = (resource, ref, patch, options) =>
    this.#call(() => this.#server.patch(resource, ref, patch, atServer(options)), options);

  delete: KubernetesApi["delete"] = (resource, ref, options) =>
    this.#call(() => this.#server.delete(resource, ref, atServer(options)), options);

  async *watch<T extends KubernetesObject>(
    resource: Resource<T>,
    query: WatchQuery,
    { signal, timeoutMs = CALL_TIMEOUT_MS }: CallOptions = {},
  ): AsyncGenerator<WatchEvent<T>, void> {
    const { process, hostName } = this.#host;
    const queue = new EventQueue<WatchEvent<T>>();
    const connection = new AbortController();
    const abort = (): void => queue.end(signal?.reason as Error);
    signal?.addEventListener("abort", abort);
    process.onDeath(() => connection.abort());
    const thereMs = this.#network.travelMs(hostName, API_SERVER);
    if (thereMs === undefined) process.turn(timeoutMs, () => queue.end(unreachable("watch", "no answer")));
    else this.#network.scheduler.after(thereMs, () => void this.#stream(resource, query, queue, connection.signal));
    try {
      yield* queue.values();
    } finally {
      signal?.removeEventListener("abort", abort);
      connection.abort();
    }
  }

  close(): void {
    // Whoever watches is told by its own signal.
  }

  /** The server's end of a watch: what it tells arrives in order, however long the way is cut. */
  async #stream<T extends KubernetesObject>(
    resource: Resource<T>,
    query: WatchQuery,
    queue: EventQueue<WatchEvent<T>>,
    signal: AbortSignal,
  ): Promise<void> {
    let arrived: Promise<void> = Promise.resolve();
    const deliver = (take: () => void): void => {
      arrived = arrived.then(() => this.#carry(signal)).then(take);
    };
    try {
      for await (const event of this.#server.watch(resource, query, { signal })) deliver(() => queue.push(event));
      deliver(() => queue.end());
    } catch (error) {
      if (!signal.aborted) deliver(() => queue.end(error as Error));
    }
  }

  /** One packet to the process. Never resolves when that is gone. */
  #carry(signal: AbortSignal): Promise<void> {
    const { process, hostName } = this.#host;
    const { scheduler, chance } = this.#network;
    return new Promise((resolve) => {
      const attempt = (): void => {
        if (signal.aborted) return;
        const travelMs = this.#network.travelMs(hostName, API_SERVER);
        if (travelMs !== undefined) process.turn(travelMs, resolve);
        else scheduler.after(chance.between(200, RETRANSMISSION_MS_MAX), attempt);
      };
      attempt();
    });
  }

  /** A request, and its answer. What gets lost is noticed when time is up. */
  #call<Result>(work: () => Promise<Result>, options: CallOptions = {}): Promise<Result> {
    const { process, hostName } = this.#host;
    const { signal, timeoutMs = CALL_TIMEOUT_MS } = options;
    const done = new AbortController();
    return new Promise<Result>((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason as Error), { signal: done.signal });
      process.turn(timeoutMs, () => reject(unreachable("call", `no answer within ${timeoutMs} ms`)));
      const back = (settle: () => void): void => {
        const backMs = this.#network.travelMs(hostName, API_SERVER);
        if (backMs !== undefined) process.turn(backMs, settle);
      };
      const thereMs = this.#network.travelMs(hostName, API_SERVER);
      if (thereMs === undefined) return;
      this.#network.scheduler.after(thereMs, () => {
        work().then(
          (result) => back(() => resolve(result)),
          (error: unknown) => back(() => reject(error instanceof Error ? error : new Error(String(error)))),
        );
      });
    }).finally(() => done.abort());
  }
}

/** What of a call's options is not for the way there. */
function atServer<Options extends CallOptions>(options: Options | undefined): Omit<Options, "signal" | "timeoutMs"> {
  const { signal: _signal, timeoutMs: _timeoutMs, ...others } = options ?? ({} as Options);
  return others;
}

function clockOf(scheduler: Scheduler): Clock {
  return {
    now: () => 1_700_000_000_000 + Math.floor(scheduler.now),
    monotonic: () => scheduler.now,
    schedule: (delayMs, callback) => {
      let isCancelled = false;
      scheduler.after(delayMs, () => {
        if (!isCancelled) callback();
      });
      return {
        cancel: () => {
          isCancelled = true;
        },
      };
    },
  };
}
