import type { Clock, Log, Random, Timer } from "@kaas/core";
import type { KubernetesApi, Selection, WatchEvent } from "../api/kubernetes-api.js";
import { isStatus, KubernetesError, unreachable } from "../api/kubernetes-error.js";
import type { KubernetesObject } from "../api/kubernetes-object.js";
import type { Resource } from "../api/resource.js";
import { Backoff } from "./backoff.js";
import { recoveryFrom } from "./recovery.js";
import type { ReflectorSink } from "./reflector-sink.js";
import { ServerPresence } from "./server-presence.js";
import { Sleeper } from "./sleeper.js";

/** How a reflector watches, in milliseconds. */
export interface ReflectorTiming {
  /** A watch is ended by the server between half of it and all of it. */
  readonly watchMs: number;
  /** A watch on which nothing arrives for so long is taken for dead. Servers send a bookmark a minute. */
  readonly idleMs: number;
  /** For one page of a list, and for a watch to begin. */
  readonly answerMs: number;
  /** Between attempts that fail: the first wait, and the longest. */
  readonly backoffFirstMs: number;
  readonly backoffLongestMs: number;
}

const DEFAULT_TIMING: ReflectorTiming = {
  watchMs: 300_000,
  idleMs: 120_000,
  answerMs: 30_000,
  backoffFirstMs: 250,
  backoffLongestMs: 5_000,
};

/** Objects in one page of a list. */
const PAGE_LIMIT = 500;

/** A watch that ends sooner than this without a word counts as a failure, or it would be a tight loop. */
const WATCH_MS_MIN = 1000;

/** What a reflector works with, whatever it follows. */
export interface ReflectorSurroundings {
  readonly api: KubernetesApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly timing?: Partial<ReflectorTiming>;
  /** What this one finds out of the server, and hears from others of this process. */
  readonly presence?: ServerPresence | undefined;
}

/** Which objects are followed, and who is told. */
export interface ReflectorOptions<T extends KubernetesObject> extends ReflectorSurroundings {
  readonly resource: Resource<T>;
  readonly selection?: Selection;
  readonly sink: ReflectorSink<T>;
}

/** How a reflector is. */
export interface ReflectorHealth {
  readonly state: "listing" | "watching" | "waiting" | "stopped";
  /** Failures since it last heard from the server. */
  readonly failures: number;
  /** What failed last; undefined since it has heard from the server. */
  readonly lastError: string | undefined;
}

/**
 * Follows the objects of a resource, for ever: lists them, watches from there, and begins again wherever that breaks.
 * Whatever the server does, it waits and tries again; only `stop` ends it.
 *
 *     ┌────────► list, page by page ──┐ complete
 *     │ 410, or no sense              ▼
 *     ├──────────────────────────── watch ◄─┐ ended by the server in order, or silent
 *     │                               ├─────┘
 *     └─── wait, with jitter ◄────────┘ connection lost, 401, 403, 429, 5xx
 */
export class Reflector<T extends KubernetesObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #timing: ReflectorTiming;
  readonly #backoff: Backoff;
  readonly #sleeper: Sleeper;
  readonly #presence: ServerPresence;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #state: ReflectorHealth["state"] = "stopped";
  /** Where to watch from; undefined when everything has to be listed. */
  #resourceVersion: string | undefined;
  /** When it was certain last that a watch works. */
  #heardAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #refusals = 0;
  #lastError: string | undefined;
  /** Said in the log, once and not with every attempt. */
  #isSaidBroken = false;
  /** The last wait was cut short. The next one is not, or a watch that alone is broken would be tried without a rest. */
  #isCalled = false;
  /** Since it was heard last, waits have begun anew once: with the first answer of a server that comes back. */
  #hasBegunAnew = false;
  /** The server forgot the list between two of its pages: the next one is asked for whole. */
  #isUnpaged = false;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#timing = { ...DEFAULT_TIMING, ...options.timing };
    const { backoffFirstMs, backoffLongestMs } = this.#timing;
    this.#backoff = new Backoff({ firstMs: backoffFirstMs, longestMs: backoffLongestMs }, options.random);
    this.#sleeper = new Sleeper(options.clock, this.#stopping.signal);
    this.#presence = options.presence ?? new ServerPresence();
  }

  get health(): ReflectorHealth {
    return { state: this.#state, failures: this.#failures, lastError: this.#lastError };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when nothing is told any more. What was told stays as it is. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#state = "stopped";
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      try {
        this.#resourceVersion ??= await this.#relist();
        await this.#watch(this.#resourceVersion);
      } catch (error) {
        if (!this.#isStopping) await this.#recover(error);
      }
    }
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Tells all that exists. Returns where to watch from. */
  async #relist(): Promise<string> {
    const { api, resource, selection, sink } = this.#options;
    this.#state = "listing";
    const paging = this.#isUnpaged ? {} : { limit: PAGE_LIMIT };
    let next: string | undefined;
    let isComplete = false;
    sink.relistBegan();
    try {
      for (;;) {
        const query = { ...selection, ...paging, ...(next === undefined ? {} : { continue: next }) };
        const page = await api.list(resource, query, this.#callOptions);
        this.#presence.reached();
        this.#stopping.signal.throwIfAborted();
        for (const object of page.items) sink.listed(object);
        next = page.continue;
        if (next !== undefined) continue;
        isComplete = true;
        sink.relistCompleted();
        this.#isUnpaged = false;
        return page.resourceVersion;
      }
    } catch (error) {
      this.#isUnpaged = next !== undefined && isStatus(error, 410);
      throw error;
    } finally {
      if (!isComplete) sink.relistAborted();
    }
  }

  /** Tells changes until the server ends the watch, or is silent for too long; throws when it breaks. */
  async #watch(resourceVersion: string): Promise<void> {
    const { api, resource, selection, clock } = this.#options;
    const ending = new AbortController();
    const silence = new Error("silence");
    const end = (): void => ending.abort(this.#stopping.signal.reason);
    const watchdog = this.#sleeper.watchdog(this.#timing.idleMs, () => ending.abort(silence));
    const beganAt = clock.monotonic();
    let settling: Timer | undefined;
    let isAccepted = false;
    this.#stopping.signal.addEventListener("abort", end);
    try {
      const query = { ...selection, resourceVersion, timeoutSeconds: this.#watchSeconds() };
      for await (const event of api.watch(resource, query, { ...this.#callOptions, signal: ending.signal })) {
        watchdog.rearm();
        this.#stopping.signal.throwIfAborted();
        this.#state = "watching";
        // What the server accepts may still be refused in the next moment.
        settling ??= clock.schedule(WATCH_MS_MIN, () => this.#heard());
        if (isAccepted) this.#take(event);
        else this.#presence.reached();
        isAccepted = true;
      }
    } catch (error) {
      if (error !== silence) throw error;
      return;
    } finally {
      watchdog.cancel();
      settling?.cancel();
      this.#stopping.signal.removeEventListener("abort", end);
    }
    if (this.#heardAt < beganAt) throw unreachable(`watch ${resource.plural}`, "the server ended it at once");
  }

  #take(event: WatchEvent<T>): void {
    const { sink, resource } = this.#options;
    if (event.type === "ERROR") throw new KubernetesError(`watch ${resource.plural}`, event.status);
    this.#heard();
    if (event.type === "BOOKMARK") {
      if (event.resourceVersion !== "") this.#resourceVersion = event.resourceVersion;
      return;
    }
    if (event.type === "DELETED") sink.removed(event.object);
    else sink.changed(event.object);
    this.#resourceVersion = event.object.metadata.resourceVersion ?? this.#resourceVersion;
  }

  /** The server is well, and the watch with it. */
  #heard(): void {
    if (this.#isSaidBroken) {
      this.#options.log.info({ failures: this.#failures }, `watch ${this.#options.resource.plural}: works again`);
    }
    this.#isSaidBroken = false;
    this.#heardAt = this.#options.clock.monotonic();
    this.#backoff.reset();
    this.#failures = 0;
    this.#refusals = 0;
    this.#lastError = undefined;
    this.#isCalled = false;
    this.#hasBegunAnew = false;
  }

  async #recover(error: unknown): Promise<void> {
    const { log, resource } = this.#options;
    const isAway = isStatus(error, 0);
    this.#refusals = isAway ? 0 : this.#refusals + 1;
    if (isAway) this.#presence.missed();
    else this.#beginAnew();
    const { mustRelist, isImmediate, waitMsMin } = recoveryFrom(error, this.#refusals);
    if (mustRelist) this.#resourceVersion = undefined;
    this.#failures++;
    this.#lastError = error instanceof Error ? error.message : String(error);
    if (isImmediate) {
      log.debug({ err: error }, `watch ${resource.plural}: everything is listed again`);
      return;
    }
    if (!this.#isSaidBroken) log.warn({ err: error }, `watch ${resource.plural}: broken; trying until it works again`);
    this.#isSaidBroken = true;
    this.#state = "waiting";
    const onCall = (wake: () => void): (() => void) => this.#presence.onReturn(wake);
    const waitMs = Math.max(this.#backoff.nextMs(), waitMsMin);
    this.#isCalled = await this.#sleeper.sleep(waitMs, isAway && !this.#isCalled ? onCall : undefined);
  }

  /** A server that comes back refuses at first, and not for long. */
  #beginAnew(): void {
    if (this.#hasBegunAnew) return;
    this.#hasBegunAnew = true;
    this.#backoff.reset();
  }

  /** Differs from watch to watch, so that the watches of many brokers do not end together. */
  #watchSeconds(): number {
    const fullSeconds = Math.max(2, Math.round(this.#timing.watchMs / 1000));
    const halfSeconds = Math.ceil(fullSeconds / 2);
    return halfSeconds + this.#options.random.integer(fullSeconds - halfSeconds + 1);
  }

  get #callOptions(): { readonly signal: AbortSignal; readonly timeoutMs: number } {
    return { signal: this.#stopping.signal, timeoutMs: this.#timing.answerMs };
  }
}
