import { assert, type Clock, type Log, type Random, type Timer } from "@kaas/core";
import { getIfThere } from "../api/get-if-there.js";
import type { KubernetesApi } from "../api/kubernetes-api.js";
import { isStatus } from "../api/kubernetes-error.js";
import { Backoff } from "../reflector/backoff.js";
import { Reflector, type ReflectorTiming } from "../reflector/reflector.js";
import { ServerPresence } from "../reflector/server-presence.js";
import type { LeaseListener, LeaseTiming } from "./lease-listener.js";
import { LeaseMachine, type LeaseStep, type ObservedLease } from "./lease-machine.js";
import { leaseObject, observedLease } from "./lease-record.js";
import { LEASES, type Lease } from "./lease-resource.js";

/** A controller that died is replaced within three seconds; a renewal a second costs the API server nothing. */
const DEFAULT_TIMING: LeaseTiming = { durationMs: 3000, renewDeadlineMs: 2000, retryMs: 700 };

/** Who does not hold the lease asks less and less often for it while the API server is away. */
const BACKOFF = { firstMs: 500, longestMs: 3000 };

/** By how much sooner than usual a holder tries again after a failure. */
const HOLDER_HASTE = 5;

/** Of the time that is left: how long a renewal may take. */
const RENEWAL_SHARE = 0.6;

/** Which Lease, for whom, and how patiently. */
export interface LeaseElectorOptions {
  readonly api: KubernetesApi;
  readonly namespace: string;
  /** Name of the Lease. */
  readonly name: string;
  /** Who holds it, to be shown to others. Of this process and no other: two processes with one identity would share it. */
  readonly identity: string;
  readonly listener: LeaseListener;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Epochs are higher than this one. */
  readonly epochMin?: number;
  readonly timing?: Partial<LeaseTiming>;
  readonly watchTiming?: Partial<ReflectorTiming>;
  /** What this one finds out of the server, and hears from others of this process. */
  readonly presence?: ServerPresence;
}

/** Takes a Lease whenever that is free, renews it, and gives it up before anybody else may take it. */
export class LeaseElector {
  readonly #options: LeaseElectorOptions;
  readonly #timing: LeaseTiming;
  readonly #machine: LeaseMachine;
  readonly #reflector: Reflector<Lease>;
  readonly #backoff: Backoff;
  readonly #presence: ServerPresence;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #acquiredAt = 0;
  #holder: string | undefined;
  /** Whether the listener was told that the lease is held. */
  #isTold = false;
  #wake: () => void = () => {};

  constructor(options: LeaseElectorOptions) {
    this.#options = options;
    this.#timing = { ...DEFAULT_TIMING, ...options.timing };
    const { retryMs, renewDeadlineMs, durationMs } = this.#timing;
    assert(retryMs < renewDeadlineMs && renewDeadlineMs < durationMs, "a lease is renewed before it runs out");
    this.#machine = new LeaseMachine(options.identity, this.#timing, options.epochMin);
    this.#backoff = new Backoff(BACKOFF, options.random);
    this.#presence = options.presence ?? new ServerPresence();
    this.#reflector = this.#leaseReflector();
  }

  /**
   * The epoch in which this process holds the lease, by the clock: also right when the process was stopped for a while and
   * nothing else has noticed yet.
   */
  get epoch(): number | undefined {
    return this.#isTold ? this.#machine.epochAt(this.#options.clock.monotonic()) : undefined;
  }

  /** Who is said to hold it. */
  get holder(): string | undefined {
    return this.#holder;
  }

  start(): void {
    this.#reflector.start();
    this.#running ??= this.#run();
  }

  /** Gives the lease up, so that another process can take it at once, and resolves when that is written or given up. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await Promise.all([this.#running, this.#reflector.stop()]);
    await this.#release();
  }

  #leaseReflector(): Reflector<Lease> {
    const { api, namespace, name, clock, random, log, watchTiming } = this.#options;
    const notice = (lease: Lease | undefined): void => {
      this.#machine.noticed(lease === undefined ? undefined : observedLease(lease), clock.monotonic());
      this.#wake();
    };
    let isListed = false;
    return new Reflector<Lease>({
      api,
      resource: LEASES,
      selection: { namespace, fieldSelector: `metadata.name=${name}` },
      sink: {
        relistBegan: () => {
          isListed = false;
        },
        listed: (lease) => {
          isListed = true;
          notice(lease);
        },
        relistCompleted: () => {
          if (!isListed) notice(undefined);
        },
        relistAborted() {},
        changed: notice,
        removed: () => notice(undefined),
      },
      clock,
      random,
      log,
      presence: this.#presence,
      ...(watchTiming === undefined ? {} : { timing: watchTiming }),
    });
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const step = this.#machine.next(this.#options.clock.monotonic());
      // First that it is lost, then who has it.
      if (step.do !== "lose") this.#tellHolder();
      try {
        await this.#take(step);
      } catch (error) {
        this.#afterFailure(error);
      }
    }
  }

  async #take(step: LeaseStep): Promise<void> {
    const { clock } = this.#options;
    switch (step.do) {
      case "wait":
        return await this.#wait(step.untilMs - clock.monotonic());
      case "look":
        this.#machine.looked(await this.#read(step.leftMs), clock.monotonic());
        return;
      case "acquire":
        this.#acquiredAt = clock.now();
        await this.#write(step.epoch, step.over?.resourceVersion, this.#timing.renewDeadlineMs);
        return this.#tellAcquired(step.epoch);
      case "renew":
        // Less than what is left, so that a connection that hangs can be tried once more.
        return await this.#write(step.over.transitions, step.over.resourceVersion, step.leftMs * RENEWAL_SHARE);
      case "lose":
        this.#tellLost(step.reason);
    }
  }

  #afterFailure(error: unknown): void {
    const { clock, log, name } = this.#options;
    if (isStatus(error, 0)) this.#presence.missed();
    if (isStatus(error, 409) || isStatus(error, 404)) return this.#machine.outdated();
    log.debug({ err: error }, `lease ${name}: attempt failed`);
    const restMs = this.#isTold ? this.#timing.retryMs / HOLDER_HASTE : this.#backoff.nextMs();
    this.#machine.failed(clock.monotonic() + restMs);
  }

  async #read(timeoutMs: number): Promise<ObservedLease | undefined> {
    const { api, namespace, name } = this.#options;
    const options = { signal: this.#stopping.signal, timeoutMs: Math.max(1, Math.ceil(timeoutMs)) };
    const lease = await getIfThere(api, LEASES, { namespace, name }, options);
    if (lease === undefined) return undefined;
    this.#presence.reached();
    return observedLease(lease);
  }

  async #write(epoch: number, resourceVersion: string | undefined, timeoutMs: number): Promise<void> {
    const { api, namespace, name, identity, clock } = this.#options;
    const begunAt = clock.monotonic();
    const lease = leaseObject({
      namespace,
      name,
      holder: identity,
      durationMs: this.#timing.durationMs,
      epoch,
      acquiredAt: this.#acquiredAt,
      renewedAt: clock.now(),
      resourceVersion,
    });
    // Never broken off: what was sent may have been done.
    const options = { timeoutMs: Math.max(1, Math.ceil(timeoutMs)) };
    const written =
      resourceVersion === undefined
        ? await api.create(LEASES, lease, options)
        : await api.replace(LEASES, lease, options);
    this.#backoff.reset();
    this.#presence.reached();
    this.#machine.wrote(observedLease(written), begunAt, clock.monotonic());
  }

  async #release(): Promise<void> {
    const { api, namespace, name, clock, log } = this.#options;
    const step = this.#machine.release(clock.monotonic());
    this.#tellLost("it was given up");
    if (step === undefined) return;
    const lease = leaseObject({
      namespace,
      name,
      holder: "",
      durationMs: this.#timing.durationMs,
      epoch: step.transitions,
      acquiredAt: this.#acquiredAt,
      renewedAt: clock.now(),
      resourceVersion: step.resourceVersion,
    });
    try {
      await api.replace(LEASES, lease, { timeoutMs: this.#timing.renewDeadlineMs });
    } catch (error) {
      log.debug({ err: error }, `lease ${name}: not given up, it runs out by itself`);
    }
  }

  /** Until the time has come, or something was noticed. */
  async #wait(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      let timer: Timer | undefined;
      this.#wake = () => {
        timer?.cancel();
        resolve();
      };
      timer = this.#options.clock.schedule(delayMs, resolve);
      if (this.#stopping.signal.aborted) this.#wake();
    });
    this.#wake = () => {};
  }

  #tellAcquired(epoch: number): void {
    this.#options.log.info({ epoch }, `lease ${this.#options.name}: acquired`);
    this.#isTold = true;
    this.#options.listener.acquired(epoch);
  }

  #tellLost(reason: string): void {
    if (!this.#isTold) return;
    this.#isTold = false;
    this.#options.log.info({ reason }, `lease ${this.#options.name}: lost`);
    this.#options.listener.lost(reason);
  }

  #tellHolder(): void {
    const { holder } = this.#machine;
    if (holder === this.#holder) return;
    this.#holder = holder;
    this.#options.listener.holderChanged(holder);
  }
}
