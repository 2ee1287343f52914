// How a broker's lives end: at some time from outside, at some step of its own, or as it is asked to.
import type { Prng } from "../bad-input/prng.js";
import type { BrokerProcess } from "../lib/broker-process.js";
import { pause } from "./actor.js";

const LIFE_MS_MIN = 100;
const LIFE_MS_MAX = 1300;
/** A step that is never reached. */
const STEP_AWAITED_MS = 2500;
/** How long a broker that has come to its step may take to be gone, on a machine that does much else. */
const GONE_WITHIN_MS = 30_000;

/** Steps at which a broker can be killed, and up to the how manyth of a life. */
const STEPS: readonly (readonly [kind: string, countMax: number])[] = [
  ["create", 200],
  ["rename", 60],
  ["link", 120],
  ["unlink", 150],
  ["mkdir", 30],
  ["rmdir", 10],
  ["truncate", 30],
  ["syncdir", 120],
  ["sync", 500],
  ["write", 800],
];

export type RecordedBy = {
  /** What recorder.c was made into. */
  readonly library: string;
  /** The broker's; its files are below. */
  readonly directory: string;
  /** Where to write all that happens. */
  readonly journal?: string;
  /** Whose fsync does nothing: `/` of directories, else of files whose names contain it. */
  readonly lie?: string;
};

export class KillPlan {
  readonly #broker: BrokerProcess;
  readonly #prng: Prng;
  readonly #recorder: RecordedBy | undefined;
  #step: string | undefined;
  #kills = 0;
  /** What happened while it started. */
  #prelude = "";

  constructor(broker: BrokerProcess, prng: Prng, recorder: RecordedBy | undefined) {
    this.#broker = broker;
    this.#prng = prng;
    this.#recorder = recorder;
  }

  /** Starts the broker, every other time so that it kills itself at some step; even while it starts. */
  async start(properties: readonly string[] = []): Promise<number> {
    const aims = this.#recorder !== undefined && (this.#recorder.journal !== undefined || this.#kills % 2 === 1);
    this.#step = aims ? this.#anyStep() : undefined;
    try {
      await this.#startWith(properties);
    } catch (error) {
      if (this.#step === undefined || this.#broker.isAlive()) throw error;
      this.#prelude = `kill at ${this.#step}, while it started; `;
      this.#step = undefined;
      await this.#startWith([]);
    }
    return this.#broker.startMs;
  }

  /** Starts the broker for a life that ends as it is asked to. */
  async startSafely(properties: readonly string[] = []): Promise<void> {
    this.#step = undefined;
    await this.#startWith(properties);
  }

  /** Resolves when the broker is dead, with how it came about. */
  async kill(): Promise<string> {
    this.#kills++;
    const prelude = this.#prelude;
    this.#prelude = "";
    return prelude + (await this.#kill());
  }

  async #kill(): Promise<string> {
    if (this.#step === undefined) {
      const lifeMs = LIFE_MS_MIN + this.#prng.integer(LIFE_MS_MAX - LIFE_MS_MIN);
      await pause(lifeMs);
      // A recorded life ends between two calls, or not by force.
      if (this.#recorder?.journal !== undefined) return this.stop();
      this.#broker.kill();
      return `kill after ${lifeMs} ms`;
    }
    const begin = performance.now();
    while (this.#broker.isAlive()) {
      if (performance.now() - begin > STEP_AWAITED_MS) return `${await this.stop()}, for ${this.#step} never came`;
      await pause(5);
    }
    return `kill at ${this.#step}`;
  }

  /** Whether the broker is gone, or going, because it has come to the step that it was to be killed at. */
  async reachedItsStep(): Promise<boolean> {
    if (this.#step === undefined) return false;
    for (const end = performance.now() + GONE_WITHIN_MS; this.#broker.isAlive(); ) {
      if (performance.now() > end) return false;
      await pause(5);
    }
    return true;
  }

  async stop(): Promise<string> {
    await this.#broker.stop();
    return "stop";
  }

  async #startWith(properties: readonly string[]): Promise<void> {
    if (this.#recorder !== undefined) {
      const { library, directory, journal = "/dev/null", lie } = this.#recorder;
      this.#broker.environment = {
        KAAS_PRELOAD: library,
        KAAS_RECORDER_DIRECTORY: directory,
        KAAS_RECORDER_JOURNAL: journal,
        ...(lie === undefined ? {} : { KAAS_RECORDER_LIE: lie }),
        ...(this.#step === undefined ? {} : { KAAS_RECORDER_DIE: this.#step }),
      };
    }
    await this.#broker.start(...properties);
  }

  #anyStep(): string {
    const [kind, countMax] = this.#prng.pick(STEPS);
    return `${kind}:${1 + this.#prng.integer(countMax)}:${this.#prng.oneIn(2) ? "before" : "after"}`;
  }
}
