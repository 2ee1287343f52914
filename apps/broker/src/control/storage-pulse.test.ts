import { type Clock, silentLog, type Timer } from "@kaas/core";
import { describe, expect, test } from "vitest";
import { StoragePulse } from "./storage-pulse.js";

/** A pulse, the time that passes for it, and the volume's answers. */
function start() {
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
  let asked = 0;
  let answer: () => void = () => undefined;
  const felt: number[] = [];
  const said: string[] = [];
  const pulse = new StoragePulse({
    ask: () => {
      asked++;
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
    clock,
    log: {
      ...silentLog,
      error: (_: unknown, message: string) => void said.push(message),
      info: (_: unknown, message: string) => void said.push(message),
    },
    felt: (silentMs) => void felt.push(silentMs),
  });
  pulse.start();
  return {
    pulse,
    felt,
    said,
    asked: () => asked,
    isOver: () => due === undefined,
    beat: (ms = 1_000) => {
      now += ms;
      due?.();
    },
    answer: async () => {
      answer();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe("the pulse of a volume", () => {
  test("is asked for once a second, one question at a time, and counts what it owes", async () => {
    const { pulse, felt, said, asked, beat, answer } = start();
    await answer();
    beat();
    expect(asked()).toBe(2);
    for (let times = 0; times < 9; times++) beat();
    expect(asked()).toBe(2);
    expect(pulse.silentMs).toBe(9_000);
    expect(said).toEqual([]);
    beat();
    beat();
    expect(said).toEqual(["the volume does not answer this broker"]);
    await answer();
    expect(pulse.silentMs).toBe(0);
    expect(felt.slice(-2)).toEqual([11_000, 0]);
    expect(said).toHaveLength(2);
    beat();
    expect(asked()).toBe(3);
  });

  test("does not count time in which this process stood still", async () => {
    const { pulse, said, beat, answer } = start();
    beat(60_000);
    expect(pulse.silentMs).toBe(1_500);
    await answer();
    expect(pulse.silentMs).toBe(0);
    expect(said).toEqual([]);
  });

  test("says nothing any more once it is stopped", async () => {
    const { pulse, felt, beat, answer, isOver } = start();
    beat();
    pulse.stop();
    expect(isOver()).toBe(true);
    const { length } = felt;
    await answer();
    expect(felt).toHaveLength(length);
  });
});
