import type { Scheduler } from "../../../packages/kaas-storage/src/testing/simulated/scheduler.js";
import { type History, Violation } from "../history.js";
import type { Host } from "./network.js";

/**
 * How long trouble may have consequences once it is over. A broker that was not heard is counted lost after 3 s, and after
 * 6 s where its controller heard nobody; what was decided then is read from the volume within a second, and another
 * broker may wait for a hand-over for 2 s before it takes what it was given.
 */
export const AFTERMATH_MS = 10_000;

/** A broker that runs, or did. */
export interface Life extends Host {
  readonly name: string;
  readonly incarnation: string;
}

interface KnownLife {
  readonly life: Life;
  state: "serves" | "ends" | "ended";
}

/**
 * What is promised to a broker that nothing is wrong with: nobody blows its fuse, and it does not end. What is wrong with a
 * broker is that it stands still, that it has no good way to the volume or to other brokers, or that its clock is wrong.
 * That the API server is away, that others fail, or that it was started just now, is no excuse.
 */
export class Promises {
  readonly #scheduler: Scheduler;
  readonly #history: History;
  /** Until when something is wrong with a machine, or with what all machines have in common. */
  readonly #troubledUntil = new Map<string, number>();
  #allTroubledUntil = 0;
  readonly #lives = new Map<string, KnownLife>();
  /** Names that two run under: each ends the other. */
  readonly #doubled = new Set<string>();
  /** Nothing fails on the volume: there is no reason to end but a process of the same name. */
  readonly #isVolumeWell: boolean;

  constructor(scheduler: Scheduler, history: History, isVolumeWell: boolean) {
    this.#isVolumeWell = isVolumeWell;
    this.#scheduler = scheduler;
    this.#history = history;
  }

  /** Something is wrong with a machine, now and for a while. */
  troubled(hostName: string, durationMs = 0): void {
    const untilMs = Math.max(this.#troubledUntil.get(hostName) ?? 0, this.#scheduler.now + durationMs);
    this.#troubledUntil.set(hostName, untilMs);
  }

  /** Something is wrong with what all need. */
  allTroubled(durationMs: number): void {
    this.#allTroubledUntil = Math.max(this.#allTroubledUntil, this.#scheduler.now + durationMs);
  }

  /** A second process runs under a name. */
  doubled(name: string): void {
    this.#doubled.add(name);
  }

  /** Whether something is wrong with a machine, or was so lately. */
  isTroubled(hostName: string): boolean {
    const until = Math.max(this.#allTroubledUntil, this.#troubledUntil.get(hostName) ?? Number.NEGATIVE_INFINITY);
    return this.#scheduler.now - until < AFTERMATH_MS;
  }

  /** A broker opens or hands over something. Where the volume is not well that may take longer than it is waited for. */
  isBusy(hostName: string): void {
    if (!this.#isVolumeWell) this.troubled(hostName);
  }

  begins(life: Life): void {
    this.#lives.set(life.incarnation, { life, state: "serves" });
  }

  /** It hands everything over from now on, and will end. */
  drains(life: Life): void {
    const known = this.#lives.get(life.incarnation);
    if (known !== undefined) known.state = "ends";
  }

  /** It has closed everything. */
  ended(life: Life): void {
    const known = this.#lives.get(life.incarnation);
    if (known !== undefined) known.state = "ended";
  }

  /** Somebody is about to blow a fuse. */
  blows(name: string, incarnation: string, by: Life): void {
    const known = this.#lives.get(incarnation);
    if (known === undefined || name === by.name) return; // whoever starts ends those before it
    const { life, state } = known;
    this.#history.note(
      by.name,
      `blows the fuse of ${name} (${incarnation.slice(0, 6)}), which ${this.#stateOf(known)}`,
    );
    if (state === "serves" && !life.process.isAlive) return;
    if (this.isTroubled(life.hostName)) return;
    const how = { serves: "serves", ends: "is handing over", ended: "has handed everything over" }[state];
    throw new Violation(`${by.name} blows the fuse of ${name}, which ${how}, and nothing is wrong with it`);
  }

  /** A process ends because its broker does not serve, and will not. */
  gaveUp(hostName: string, name: string): void {
    this.#history.note(name, "has given up");
    if (this.#doubled.has(name) || (!this.#isVolumeWell && this.isTroubled(hostName))) return;
    throw new Violation(`the process of ${name} ends for good, and no other of its name runs`);
  }

  #stateOf({ life, state }: KnownLife): string {
    if (state === "ended") return "has ended";
    if (!life.process.isAlive) return "is dead";
    return this.isTroubled(life.hostName) ? "lives, and is troubled" : "lives";
  }
}
