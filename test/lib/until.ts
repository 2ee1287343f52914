import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 10;

/** Waits until something is so, and tells how long that took; `what` stands in the message if it never is. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, timeoutMs = 30_000): Promise<number> {
  const began = performance.now();
  while (!(await isSo())) {
    if (performance.now() - began > timeoutMs) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(POLL_MS);
  }
  return performance.now() - began;
}
