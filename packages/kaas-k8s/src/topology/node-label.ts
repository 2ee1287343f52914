import type { Clock, Log, Random } from "@kaas/core";
import type { KubernetesApi } from "../api/kubernetes-api.js";
import { isStatus } from "../api/kubernetes-error.js";
import { Backoff } from "../reflector/backoff.js";
import { ServerPresence } from "../reflector/server-presence.js";
import { Sleeper } from "../reflector/sleeper.js";
import { NODES } from "./node-resource.js";

/** Between attempts: the first wait, and the longest. Rights that are missing may be given later. */
const BACKOFF = { firstMs: 250, longestMs: 30_000 };

/** For one attempt. */
const TIMEOUT_MS = 5_000;

/** Which label of which node, and who waits for it. */
export interface NodeLabelOptions {
  readonly api: KubernetesApi;
  /** Of the node that this pod runs on. */
  readonly nodeName: string;
  /** Such as `topology.kubernetes.io/region`. */
  readonly key: string;
  /** Called once, when the answer is there. */
  readonly known: () => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly presence?: ServerPresence;
}

/** A label of a node. It is asked for until there is an answer, and not after that: a pod never changes its node. */
export class NodeLabel {
  readonly #options: NodeLabelOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #value: string | null | undefined;

  constructor(options: NodeLabelOptions) {
    this.#options = options;
  }

  /** Undefined before there is an answer; null for a node without such a label. */
  get value(): string | null | undefined {
    return this.#value;
  }

  /** Asks from now on, until there is an answer; a second call changes nothing. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when nothing is asked any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { api, nodeName, key, known, clock, random, log, presence = new ServerPresence() } = this.#options;
    const { signal } = this.#stopping;
    const backoff = new Backoff(BACKOFF, random);
    const sleeper = new Sleeper(clock, signal);
    let isSaid = false;
    while (!signal.aborted) {
      try {
        const node = await api.get(NODES, { name: nodeName }, { signal, timeoutMs: TIMEOUT_MS });
        this.#value = node.metadata.labels?.[key] ?? null;
        if (this.#value === null) log.warn({ node: nodeName }, `the node has no label ${key}`);
        return known();
      } catch (error) {
        if (signal.aborted) return;
        if (!isSaid) log.warn({ err: error }, `label ${key} of the node cannot be read; trying until it can`);
        isSaid = true;
        const isAway = isStatus(error, 0);
        if (isAway) presence.missed();
        await sleeper.sleep(backoff.nextMs(), isAway ? (wake) => presence.onReturn(wake) : undefined);
      }
    }
  }
}
