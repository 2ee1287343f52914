import { setTimeout as delay } from "node:timers/promises";

/** Two cores and other work beside: slow is no failure, stuck is. */
const PATIENCE_MS = 100_000;

/** Resolves when a condition holds that the outside world brings about; rejects when that takes for ever. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`it never came to be that ${condition.toString()}`);
    await delay(1);
  }
}
