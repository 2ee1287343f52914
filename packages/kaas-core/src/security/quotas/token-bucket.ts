import type { QuotaWindows } from "./rate-sensor.js";

/** Tokens that come back at a rate and may be saved up for all windows; taking more than there are is possible (KIP-599). */
export class TokenBucket {
  readonly #windows: QuotaWindows;
  #tokens = Number.POSITIVE_INFINITY;
  #refilledAtMs: number;
  usedAtMs: number;

  constructor(windows: QuotaWindows, nowMs: number) {
    this.#windows = windows;
    this.#refilledAtMs = nowMs;
    this.usedAtMs = nowMs;
  }

  take(amount: number, rate: number, nowMs: number): void {
    this.usedAtMs = nowMs;
    this.#refill(rate, nowMs);
    this.#tokens -= amount;
  }

  /** How long it takes until what was taken too much has come back, in whole milliseconds. */
  throttleMs(rate: number, nowMs: number): number {
    this.#refill(rate, nowMs);
    return this.#tokens < 0 ? Math.round((-this.#tokens / rate) * 1000) : 0;
  }

  #refill(rate: number, nowMs: number): void {
    const { count, sizeMs } = this.#windows;
    const burst = (count * sizeMs * rate) / 1000;
    this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#refilledAtMs) * rate) / 1000);
    this.#refilledAtMs = nowMs;
  }
}
