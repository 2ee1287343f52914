import type { Clock, Log, Random } from "@kaas/core";
import type { KubernetesApi } from "../api/kubernetes-api.js";
import type { PodIdentity } from "../identity.js";
import { LatestOnly } from "../writers/latest-only.js";
import { podStatusPatch, type Readiness } from "./pod-condition.js";
import { PODS } from "./pod-resource.js";

/** Between attempts to tell: the first wait, and the longest. */
const BACKOFF = { firstMs: 250, longestMs: 5000 };

/** For one attempt. */
const TIMEOUT_MS = 5000;

/** Which pod's condition is kept, and by what. */
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
  readonly #clock: Clock;
  readonly #writer: LatestOnly<Readiness & { readonly since: number }>;
  #last: (Readiness & { readonly since: number }) | undefined;

  constructor({ api, pod, podUid, clock, random, log }: ReadinessGateOptions) {
    this.#clock = clock;
    this.#writer = new LatestOnly({
      write: async (readiness, signal) => {
        const patch = podStatusPatch(readiness, readiness.since, podUid);
        const options = { subresource: "status", timeoutMs: TIMEOUT_MS, signal } as const;
        await api.patch(PODS, { namespace: pod.namespace, name: pod.name }, patch, options);
      },
      what: "readiness",
      backoff: BACKOFF,
      pauseMs: 0,
      clock,
      random,
      log,
    });
  }

  /** What is true from now on. A state that Kubernetes has not been told yet is replaced by it. */
  set(readiness: Readiness): void {
    const last = this.#last;
    if (last?.isReady === readiness.isReady && last.message === readiness.message) return;
    const since = last?.isReady === readiness.isReady ? last.since : this.#clock.now();
    this.#last = { ...readiness, since };
    this.#writer.set(this.#last);
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    await this.#writer.stop();
  }
}
