import type { Clock, Timer } from "@kaas/core";

/** Called unless it is rearmed often enough. */
export interface Watchdog {
  rearm(): void;
  cancel(): void;
}

/** Waiting that ends early when a signal says so. */
export class Sleeper {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /** `onCall` is given what ends it early, and returns what takes that back. Answers whether it was ended by that. */
  async sleep(delayMs: number, onCall?: (wake: () => void) => () => void): Promise<boolean> {
    if (this.#signal.aborted) return false;
    return await new Promise<boolean>((resolve) => {
      const end = (isCalled: boolean): void => {
        timer.cancel();
        this.#signal.removeEventListener("abort", stop);
        forget?.();
        resolve(isCalled);
      };
      const stop = (): void => end(false);
      const timer = this.#clock.schedule(delayMs, stop);
      const forget = onCall?.(() => end(true));
      this.#signal.addEventListener("abort", stop);
    });
  }

  /** A timer is set once an interval, not once for each time it is rearmed: events come in thousands. */
  watchdog(intervalMs: number, bite: () => void): Watchdog {
    let rearmedAt = this.#clock.monotonic();
    let timer: Timer;
    const watch = (delayMs: number): void => {
      timer = this.#clock.schedule(delayMs, () => {
        const leftMs = rearmedAt + intervalMs - this.#clock.monotonic();
        if (leftMs <= 0) bite();
        else watch(leftMs);
      });
    };
    watch(intervalMs);
    return {
      rearm: () => {
        rearmedAt = this.#clock.monotonic();
      },
      cancel: () => timer.cancel(),
    };
  }
}
