import { LeaseMachine, type ObservedLease } from "../../../packages/kaas-k8s/src/lease/lease-machine.js";
import type { LeaseListener, LeaseTiming } from "../../../packages/kaas-k8s/src/lease/lease-listener.js";
import type { Host, Network } from "./network.js";

const TIMING: LeaseTiming = { durationMs: 3_000, renewDeadlineMs: 2_000, retryMs: 700 };
const API_SERVER = "api-server";

/** The one object of an API server that is of interest here. */
export class LeaseServer {
  lease: ObservedLease | undefined;
  readonly watchers: Set<(lease: ObservedLease | undefined) => void> = new Set();
  #version = 0;

  /** Writes over what was seen; undefined when it is something else by now. */
  write(over: ObservedLease | undefined, holder: string, transitions: number): ObservedLease | undefined {
    if (this.lease?.resourceVersion !== over?.resourceVersion) return undefined;
    return this.#set({ holder, transitions, durationMs: TIMING.durationMs, resourceVersion: `${++this.#version}` });
  }

  /** Somebody changes it by hand. */
  tamper(kind: "removed" | "taken"): void {
    const transitions = this.lease?.transitions ?? 0;
    const resourceVersion = `${++this.#version}`;
    this.#set(kind === "removed" ? undefined : { holder: "a thief", transitions, durationMs: 1_000, resourceVersion });
  }

  #set<Lease extends ObservedLease | undefined>(lease: Lease): Lease {
    this.lease = lease;
    for (const tell of this.watchers) tell(lease);
    return lease;
  }
}

/** A process's part in the election: the machine that decides is the real one, the API server and the way there are not. */
export class LeaseClient {
  readonly identity: string;
  readonly #host: Host;
  readonly #server: LeaseServer;
  readonly #network: Network;
  readonly #listener: LeaseListener;
  readonly #machine: LeaseMachine;
  #isHeld = false;
  #isStopped = false;
  #holder: string | undefined;
  #wake: () => void = () => undefined;

  constructor(host: Host, identity: string, server: LeaseServer, network: Network, listener: LeaseListener) {
    this.identity = identity;
    this.#host = host;
    this.#server = server;
    this.#network = network;
    this.#listener = listener;
    this.#machine = new LeaseMachine(identity, TIMING);
  }

  /** As it is known here; undefined where it is not held, by the clock. */
  get epoch(): number | undefined {
    return this.#isHeld ? this.#machine.epochAt(this.#host.process.clock.monotonic()) : undefined;
  }

  get holder(): string | undefined {
    return this.#holder;
  }

  async run(): Promise<void> {
    const { process } = this.#host;
    const watcher = (lease: ObservedLease | undefined): void => {
      const travelMs = this.#network.travelMs(this.#host.hostName, API_SERVER);
      if (travelMs === undefined) return;
      process.turn(travelMs, () => {
        this.#machine.noticed(lease, process.clock.monotonic());
        this.#wake();
      });
    };
    this.#server.watchers.add(watcher);
    while (process.isAlive && !this.#isStopped) {
      const step = this.#machine.next(process.clock.monotonic());
      if (step.do !== "lose") this.#tellHolder();
      try {
        await this.#take(step);
      } catch {
        this.#machine.failed(process.clock.monotonic() + TIMING.retryMs / 3);
      }
    }
    this.#server.watchers.delete(watcher);
  }

  /** Gives it up, so that somebody else can take it at once. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wake();
    const over = this.#machine.release(this.#host.process.clock.monotonic());
    this.#tellLost("it was given up");
    if (over === undefined) return;
    await this.#call(() => this.#server.write(over, "", over.transitions)).catch(() => undefined);
  }

  async #take(step: ReturnType<LeaseMachine["next"]>): Promise<void> {
    const { clock } = this.#host.process;
    switch (step.do) {
      case "wait":
        return this.#wait(step.untilMs - clock.monotonic());
      case "look":
        return this.#machine.looked(await this.#call(() => this.#server.lease), clock.monotonic());
      case "acquire":
        await this.#write(step.over, step.epoch);
        if (this.#isStopped || this.epoch !== undefined || this.#machine.epochAt(clock.monotonic()) !== step.epoch)
          return;
        this.#isHeld = true;
        return this.#listener.acquired(step.epoch);
      case "renew":
        return this.#write(step.over, step.over.transitions);
      case "lose":
        this.#tellLost(step.reason);
    }
  }

  async #write(over: ObservedLease | undefined, epoch: number): Promise<void> {
    const { clock } = this.#host.process;
    const begunMs = clock.monotonic();
    const written = await this.#call(() => this.#server.write(over, this.identity, epoch));
    if (written === undefined) this.#machine.outdated();
    else this.#machine.wrote(written, begunMs, clock.monotonic());
  }

  /** A request to the API server, and its answer. What gets lost is noticed after a second. */
  #call<Result>(work: () => Result): Promise<Result> {
    const { process, hostName } = this.#host;
    return new Promise((resolve, reject) => {
      process.turn(1_000, () => reject(new Error("no answer")));
      const thereMs = this.#network.travelMs(hostName, API_SERVER);
      if (thereMs === undefined) return;
      this.#network.scheduler.after(thereMs, () => {
        const result = work();
        const backMs = this.#network.travelMs(hostName, API_SERVER);
        if (backMs !== undefined) process.turn(backMs, () => resolve(result));
      });
    });
  }

  #wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      // No timer is finer, and so short a time that it does not count would be waited for over and over.
      this.#host.process.turn(Math.max(1, delayMs), resolve);
    });
  }

  #tellHolder(): void {
    const { holder } = this.#machine;
    if (holder === this.#holder) return;
    this.#holder = holder;
    this.#listener.holderChanged(holder);
  }

  #tellLost(reason: string): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#listener.lost(reason);
  }
}

/** Cuts every broker off from the API server for a while. */
export function apiOutage(network: Network, durationMs: number): void {
  network.isolate(API_SERVER, durationMs);
}
