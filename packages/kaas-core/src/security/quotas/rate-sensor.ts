/** Over how long a rate is measured. */
export interface QuotaWindows {
  /** `quota.window.num`. */
  readonly count: number;
  /** `quota.window.size.seconds`, in milliseconds. */
  readonly sizeMs: number;
}

/**
 * A rate over the last few windows, as Kafka measures it: the sum of what was recorded, over the time since the oldest
 * window that counts began, but never less than all windows but one.
 */
export class RateSensor {
  readonly #windows: QuotaWindows;
  readonly #startsMs: number[] = [];
  readonly #sums: number[] = [];
  #current = 0;
  /** When something was recorded last. */
  usedAtMs: number;

  constructor(windows: QuotaWindows, nowMs: number) {
    this.#windows = windows;
    this.#startsMs.push(nowMs);
    this.#sums.push(0);
    this.usedAtMs = nowMs;
  }

  record(amount: number, nowMs: number): void {
    this.usedAtMs = nowMs;
    if (nowMs - (this.#startsMs[this.#current] as number) >= this.#windows.sizeMs) {
      this.#current = (this.#current + 1) % this.#windows.count;
      this.#startsMs[this.#current] = nowMs;
      this.#sums[this.#current] = 0;
    }
    this.#sums[this.#current] = (this.#sums[this.#current] as number) + amount;
  }

  /** How long a client has to wait until its rate is at the limit again, in whole milliseconds; 0 while it is below. */
  throttleMs(limit: number, nowMs: number): number {
    const { count, sizeMs } = this.#windows;
    let sum = 0;
    let oldestMs = nowMs;
    for (let index = 0; index < this.#sums.length; index++) {
      const startMs = this.#startsMs[index] as number;
      if (nowMs - startMs >= count * sizeMs) continue;
      sum += this.#sums[index] as number;
      oldestMs = Math.min(oldestMs, startMs);
    }
    let elapsedMs = nowMs - oldestMs;
    const missing = count - 1 - Math.floor(elapsedMs / sizeMs);
    if (missing > 0) elapsedMs += missing * sizeMs;
    elapsedMs = Math.max(elapsedMs, sizeMs);
    const rate = (sum * 1000) / elapsedMs;
    return rate > limit ? Math.round(((rate - limit) / limit) * elapsedMs) : 0;
  }
}
