import { type Clock, silentLog, type Timer } from "@kaas/core";
import { expect, test } from "vitest";
import { DrainWatch } from "./drain-watch.js";

test("a wish is seen within a second, a failure to look changes nothing and is told once a minute", async () => {
  let now = 0;
  let due: (() => void) | undefined;
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    schedule: (_delayMs, callback): Timer => {
      due = callback;
      return { cancel: () => (due = undefined) };
    },
  };
  let answer: boolean | Error = false;
  let warnings = 0;
  const seen: boolean[] = [];
  const watch: DrainWatch = new DrainWatch({
    isWished: async () => {
      if (answer instanceof Error) throw answer;
      return answer;
    },
    clock,
    log: { ...silentLog, warn: () => void warnings++ },
    changed: () => seen.push(watch.isWished),
  });
  const pass = async (ms: number): Promise<void> => {
    now += ms;
    due?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  await watch.start();
  expect(seen).toEqual([]);
  answer = true;
  await pass(1_000);
  expect(seen).toEqual([true]);
  answer = new Error("stale");
  for (let n = 0; n < 5; n++) await pass(1_000);
  expect([seen, watch.isWished, warnings]).toEqual([[true], true, 1]);
  await pass(60_000);
  expect(warnings).toBe(2);
  answer = false;
  await pass(1_000);
  expect(seen).toEqual([true, false]);
  watch.stop();
  expect(due).toBeUndefined();
});
