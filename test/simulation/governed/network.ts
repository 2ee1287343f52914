import type { Chance } from "../../../packages/kaas-storage/src/testing/simulated/chance.js";
import type { SimulatedProcess } from "../../../packages/kaas-storage/src/testing/simulated/machine.js";
import type { Scheduler } from "../../../packages/kaas-storage/src/testing/simulated/scheduler.js";

/** A process on the network. */
export interface Host {
  /** Of its machine: what is cut off is cut off for all its processes. */
  readonly hostName: string;
  readonly process: SimulatedProcess;
}

export interface NetworkOptions {
  readonly latencyMs: number;
  /** Share of messages that do not arrive. */
  readonly losses: number;
  /** Share of messages that take a hundred times as long. */
  readonly delays: number;
  /** Called for each message that got lost, or is late: between whom. */
  readonly failed: (hostNames: readonly string[]) => void;
}

/** The network between brokers, and between them and the API server: slow, lossy, and cut here and there. */
export class Network {
  isCalm = false;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly #options: NetworkOptions;
  readonly #cutUntil = new Map<string, number>();

  constructor(scheduler: Scheduler, chance: Chance, options: NetworkOptions) {
    this.scheduler = scheduler;
    this.chance = chance;
    this.#options = options;
  }

  /** Nothing reaches a machine, nor leaves it. */
  isolate(hostName: string, durationMs: number): void {
    this.#cutUntil.set(hostName, Math.max(this.#cutUntil.get(hostName) ?? 0, this.scheduler.now + durationMs));
  }

  isCut(hostName: string): boolean {
    return !this.isCalm && this.scheduler.now < (this.#cutUntil.get(hostName) ?? 0);
  }

  /** How long a message takes; undefined for one that does not arrive. */
  travelMs(...hostNames: readonly string[]): number | undefined {
    const { latencyMs, losses, delays, failed } = this.#options;
    const isLost = this.chance.happens(losses);
    const delayMs = this.chance.between(latencyMs / 4, latencyMs);
    const isSlow = this.chance.happens(delays);
    if (this.isCalm) return delayMs;
    const isStopped = hostNames.some((name) => this.isCut(name));
    if (isLost || isSlow || isStopped) failed(hostNames);
    if (isLost || isStopped) return undefined;
    return isSlow ? delayMs * 100 : delayMs;
  }
}

/** One direction of a connection: what is sent arrives in order, until something is lost; after that, nothing does. */
export class Channel {
  readonly #network: Network;
  readonly #from: Host;
  readonly #to: Host;
  /** Called when the other end turns out to be gone. */
  readonly #refused: () => void;
  #isDead = false;
  #arrivesMs = 0;

  constructor(network: Network, from: Host, to: Host, refused: () => void) {
    this.#network = network;
    this.#from = from;
    this.#to = to;
    this.#refused = refused;
  }

  send(deliver: () => void): void {
    const { scheduler } = this.#network;
    const travelMs = this.#isDead ? undefined : this.#network.travelMs(this.#from.hostName, this.#to.hostName);
    if (travelMs === undefined) {
      this.#isDead = true;
      return;
    }
    this.#arrivesMs = Math.max(this.#arrivesMs, scheduler.now + travelMs);
    scheduler.after(this.#arrivesMs - scheduler.now, () => {
      if (this.#isDead || this.#network.isCut(this.#to.hostName)) this.#isDead = true;
      else if (this.#to.process.isAlive) this.#to.process.turn(0, deliver);
      else this.#refused();
    });
  }

  close(): void {
    this.#isDead = true;
  }
}
