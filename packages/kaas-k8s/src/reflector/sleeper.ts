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

  async sleep(delayMs: number): Promise<void> {
    if (this.#signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        timer.cancel();
        this.#signal.removeEventListener("abort", wake);
        resolve();
      };
      const timer = this.#clock.schedule(delayMs, wake);
      this.#signal.addEventListener("abort", wake);
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
