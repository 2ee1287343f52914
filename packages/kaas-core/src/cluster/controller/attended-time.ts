import type { Clock } from "../../ports/clock.js";

/** How often {@link AttendedTime.tick} has to be called. */
export const TICK_MS = 100;
/** More than this between two ticks is no time in which anything could be heard. */
const COUNTED_MS_MAX = 500;
/** So much between two ticks means that the process was stopped, or its machine was. */
const AWAY_MS = 1_000;

/**
 * Time during which this process was at work, so that silence in its absence is held against nobody. A process that was
 * stopped for a minute finds its timers due before it has read what others had sent meanwhile: of that minute half a
 * second counts.
 *
 * Where the clock stands still along with the machine there is nothing to be found out, and nothing has to be: the
 * silence it measures is no longer than it was before.
 */
export class AttendedTime {
  readonly #clock: Clock;
  #attendedMs = 0;
  #tickedMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#tickedMs = clock.monotonic();
  }

  /** Milliseconds since the beginning. */
  get nowMs(): number {
    return this.#attendedMs + Math.min(COUNTED_MS_MAX, this.#clock.monotonic() - this.#tickedMs);
  }

  /** Whether the process was away since the tick before. */
  tick(): boolean {
    const monotonicMs = this.#clock.monotonic();
    const elapsedMs = monotonicMs - this.#tickedMs;
    this.#attendedMs += Math.min(COUNTED_MS_MAX, elapsedMs);
    this.#tickedMs = monotonicMs;
    return elapsedMs > AWAY_MS;
  }
}
