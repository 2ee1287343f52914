import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 10;
/** On a machine that does much else: slow is no failure, stuck is. */
const PATIENCE_MS = 120_000;

/** Waits until something is so, and tells how long that took; `what` stands in the message if it never is. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  timeoutMs = PATIENCE_MS,
): Promise<number> {
  const began = performance.now();
  while (!(await isSo())) {
    if (performance.now() - began > timeoutMs) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(POLL_MS);
  }
  return performance.now() - began;
}
