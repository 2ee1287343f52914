import type { Clock } from "../../ports/clock.js";
import { STORAGE_DOUBTED_MS, STORAGE_STALLED_MS } from "../heartbeat.js";

/** After an outage here others are given so many times as long to come back too. */
const PATIENCE = 2;
const PATIENCE_MS_MAX = 120_000;

/**
 * How this process's own volume answers, and has answered, whether or not it was the controller then. Only who had
 * answers all the while may say that it is the way of another broker that is broken: a file server that was away comes
 * back to its clients one after the other, the later the longer it was away.
 */
export class OwnStorage {
  readonly #clock: Clock;
  /** The longest silence of the outage that goes on; 0: there is none. */
  #silentMs = 0;
  #judgesFromMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#judgesFromMs = clock.monotonic() + STORAGE_STALLED_MS;
  }

  /** To be told often for how long the volume has owed an answer. */
  note(silentMs: number): void {
    if (silentMs >= STORAGE_DOUBTED_MS) this.#silentMs = Math.max(this.#silentMs, silentMs);
    else if (this.isDoubted) {
      const patienceMs = Math.min(PATIENCE_MS_MAX, Math.max(STORAGE_STALLED_MS, PATIENCE * this.#silentMs));
      this.#judgesFromMs = Math.max(this.#judgesFromMs, this.#clock.monotonic() + patienceMs);
      this.#silentMs = 0;
    }
  }

  /** Whether the volume may be gone for this process. */
  get isDoubted(): boolean {
    return this.#silentMs > 0;
  }

  /** Whether silence of another broker's volume is the fault of that broker's way there. */
  get mayJudge(): boolean {
    return !this.isDoubted && this.#clock.monotonic() >= this.#judgesFromMs;
  }
}
