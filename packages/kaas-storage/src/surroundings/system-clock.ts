import type { Clock, Timer } from "@kaas/core";

/** The longest delay that the platform's timers take; they fire at once beyond it. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

/** The computer's clocks. Timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(delayMs: number, callback: () => void): Timer {
    let left = Math.max(0, delayMs);
    let timeout: NodeJS.Timeout | undefined;
    const wait = (): void => {
      const next = Math.min(left, TIMEOUT_MS_MAX);
      left -= next;
      timeout = setTimeout(() => (left > 0 ? wait() : callback()), next).unref();
    };
    wait();
    return { cancel: () => clearTimeout(timeout) };
  },
};
