import type { Clock } from "../../ports/clock.js";

/** However many come one after the other, it ends. */
const EXTENSIONS_MAX = 5;

/** The while after a broker has come in which others may come too: leaders are moved to all of them at once, then. */
export class SettlingTime {
  readonly #clock: Clock;
  readonly #settleMs: number;
  #sinceMs = 0;
  #untilMs: number | undefined;

  constructor(clock: Clock, settleMs: number) {
    this.#clock = clock;
    this.#settleMs = settleMs;
  }

  get isSettling(): boolean {
    return this.#untilMs !== undefined;
  }

  begin(): void {
    const nowMs = this.#clock.monotonic();
    if (this.#untilMs === undefined) this.#sinceMs = nowMs;
    this.#untilMs = Math.min(nowMs + this.#settleMs, this.#sinceMs + EXTENSIONS_MAX * this.#settleMs);
  }

  /** True once, when it is over. */
  hasEnded(): boolean {
    if (this.#untilMs === undefined || this.#clock.monotonic() < this.#untilMs) return false;
    this.#untilMs = undefined;
    return true;
  }
}
