import type { CoarseTimer, Expirable } from "./coarse-timer.js";

/** A promise's result, or `late()` when it does not settle in time. What it was waiting for goes on regardless. */
export function withDeadline<T>(timer: CoarseTimer, delayMs: number, promise: Promise<T>, late: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const wait: Expirable & { done: boolean } = {
      done: false,
      expire: () => resolve(late()),
    };
    const deadline = timer.add(delayMs, wait);
    promise.then(resolve, reject).finally(() => {
      wait.done = true;
      deadline.remove();
    });
  });
}
