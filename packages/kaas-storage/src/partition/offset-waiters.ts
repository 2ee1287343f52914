import { ErrorCode } from "@kaas/core";

/** Those who wait for the high watermark to reach an offset. */
export class OffsetWaiters {
  #waiters: { readonly offset: number; readonly resolve: (errorCode: ErrorCode) => void }[] = [];

  /** Resolves with `NONE` once the offset is reached, or with why it never will be. */
  wait(offset: number): Promise<ErrorCode> {
    return new Promise((resolve) => {
      this.#waiters.push({ offset, resolve });
    });
  }

  reached(highWatermark: number): void {
    if (this.#waiters.length === 0) return;
    const waiting = this.#waiters;
    this.#waiters = waiting.filter((waiter) => waiter.offset > highWatermark);
    for (const waiter of waiting) if (waiter.offset <= highWatermark) waiter.resolve(ErrorCode.NONE);
  }

  refuse(errorCode: ErrorCode): void {
    const waiting = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiting) waiter.resolve(errorCode);
  }
}
