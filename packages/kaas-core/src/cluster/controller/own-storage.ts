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
  #isDoubted = false;
  /** When it was last known that nothing is owed. By the clock: in time that this process was away it has no proof. */
  #answeredMs: number;
  #judgesFromMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#answeredMs = clock.monotonic();
    this.#judgesFromMs = this.#answeredMs + STORAGE_STALLED_MS;
  }

  /** To be told each second for how long the volume has owed an answer. */
  note(silentMs: number): void {
    if (silentMs >= STORAGE_DOUBTED_MS) this.#isDoubted = true;
    if (silentMs > 0) return;
    const now = this.#clock.monotonic();
    const withoutMs = now - this.#answeredMs;
    this.#answeredMs = now;
    this.#isDoubted = false;
    if (withoutMs < STORAGE_DOUBTED_MS) return;
    const patienceMs = Math.min(PATIENCE_MS_MAX, Math.max(STORAGE_STALLED_MS, PATIENCE * withoutMs));
    this.#judgesFromMs = Math.max(this.#judgesFromMs, now + patienceMs);
  }

  /** Whether the volume may be gone for this process. */
  get isDoubted(): boolean {
    return this.#isDoubted;
  }

  /** Whether silence of another broker's volume is the fault of that broker's way there. */
  get mayJudge(): boolean {
    const now = this.#clock.monotonic();
    return !this.#isDoubted && now - this.#answeredMs < STORAGE_DOUBTED_MS && now >= this.#judgesFromMs;
  }
}
