import { LeaseElector, type LeaseTiming } from "@kaas/k8s";
import type { OperatorOptions } from "./operator-options.js";
import { Term } from "./term.js";

/** Nothing is urgent about an operator: brokers serve without it. */
const LEASE_TIMING: LeaseTiming = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };

/**
 * The operator: while it holds its Lease it makes what is on the volume, and around the brokers, what the custom resources
 * say. Brokers do not wait for it: it may be gone for any time.
 */
export class Operator {
  readonly #options: OperatorOptions;
  readonly #elector: LeaseElector;
  #term: Term | undefined;
  /** Terms that are over, and end one after the other. */
  #ending: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: OperatorOptions) {
    this.#options = options;
    const { api, namespace, clusterName, identity, clock, random, log, leaseTiming } = options;
    this.#elector = new LeaseElector({
      api,
      namespace,
      name: `${clusterName}-operator`,
      identity,
      listener: { acquired: () => this.#begin(), lost: () => this.#endTerm(), holderChanged() {} },
      clock,
      random,
      log,
      timing: { ...LEASE_TIMING, ...leaseTiming },
    });
  }

  start(): void {
    this.#elector.start();
  }

  /** Whether this process leads. */
  get leads(): boolean {
    return this.#term !== undefined;
  }

  /** Whether it is of use: it leads and knows all that there is, or stands by. */
  get isReady(): boolean {
    return this.#term?.isSynced ?? !this.#isStopped;
  }

  /** Ends what is under way, and gives the Lease up. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endTerm();
    await this.#ending;
    await this.#elector.stop();
  }

  /** Resolves when it leads and has nothing to do but what is to be looked at later. For tests. */
  async idle(): Promise<void> {
    await this.#ending;
    await this.#term?.idle();
  }

  #begin(): void {
    if (this.#isStopped) return;
    this.#endTerm();
    const term = new Term(this.#options);
    this.#term = term;
    // What the term before has under way comes to its end first.
    this.#ending = this.#ending.then(() => {
      if (this.#term === term) term.start();
    });
  }

  #endTerm(): void {
    const term = this.#term;
    this.#term = undefined;
    if (term === undefined) return;
    this.#ending = this.#ending
      .then(() => term.stop())
      .catch((error: unknown) => this.#options.log.error({ err: error }, "a term did not end in order"));
  }
}
