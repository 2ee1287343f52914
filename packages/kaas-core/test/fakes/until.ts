import { setTimeout as delay } from "node:timers/promises";

const PATIENCE_MS = 15_000;

/** Resolves when a condition holds that the outside world brings about; rejects when that takes for ever. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`it never came to be that ${condition.toString()}`);
    await delay(1);
  }
}
