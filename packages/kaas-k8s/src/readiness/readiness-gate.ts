import type { Clock, Log, Random } from "@kaas/core";
import type { KubernetesApi } from "../api/kubernetes-api.js";
import type { PodIdentity } from "../identity.js";
import { Backoff } from "../reflector/backoff.js";
import { Sleeper } from "../reflector/sleeper.js";
import { podStatusPatch, type Readiness } from "./pod-condition.js";
import { PODS } from "./pod-resource.js";

/** Between attempts to tell: the first wait, and the longest. */
const BACKOFF = { firstMs: 250, longestMs: 5000 };

/** For one attempt. */
const TIMEOUT_MS = 5000;

export interface ReadinessGateOptions {
  readonly api: KubernetesApi;
  readonly pod: PodIdentity;
  /** Of the pod (`metadata.uid`), where it is known: another pod of the name is not told for. */
  readonly podUid?: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/**
 * Tells Kubernetes whether all partitions of this broker are open. Only the newest state is told, and it is told until
 * Kubernetes has it; nobody waits for that.
 */
export class ReadinessGate {
  readonly #options: ReadinessGateOptions;
  readonly #backoff: Backoff;
  readonly #stopping = new AbortController();
  readonly #sleeper: Sleeper;
  #wanted: (Readiness & { readonly since: number }) | undefined;
  #isTelling = false;
  #telling: Promise<void> = Promise.resolve();

  constructor(options: ReadinessGateOptions) {
    this.#options = options;
    this.#backoff = new Backoff(BACKOFF, options.random);
    this.#sleeper = new Sleeper(options.clock, this.#stopping.signal);
  }

  set(readiness: Readiness): void {
    const before = this.#wanted;
    if (before?.isReady === readiness.isReady && before.message === readiness.message) return;
    const since = before?.isReady === readiness.isReady ? before.since : this.#options.clock.now();
    this.#wanted = { ...readiness, since };
    if (this.#isTelling) return;
    this.#isTelling = true;
    this.#telling = this.#tell();
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#telling;
  }

  async #tell(): Promise<void> {
    let told: Readiness | undefined;
    while (told !== this.#wanted && !this.#stopping.signal.aborted) {
      const wanted = this.#wanted;
      try {
        if (wanted !== undefined) await this.#patch(wanted);
        told = wanted;
        this.#backoff.reset();
      } catch (error) {
        if (this.#stopping.signal.aborted) break;
        this.#options.log.debug({ err: error }, "readiness could not be told");
        await this.#sleeper.sleep(this.#backoff.nextMs());
      }
    }
    this.#isTelling = false;
  }

  async #patch(readiness: Readiness & { readonly since: number }): Promise<void> {
    const { api, pod, podUid } = this.#options;
    const patch = podStatusPatch(readiness, readiness.since, podUid);
    const options = { subresource: "status", timeoutMs: TIMEOUT_MS, signal: this.#stopping.signal } as const;
    await api.patch(PODS, { namespace: pod.namespace, name: pod.name }, patch, options);
  }
}
