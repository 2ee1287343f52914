import { describe, expect, test } from "vitest";
import { TestClock } from "../testing/test-clock.js";
import { CleaningStopped, IoBudget, Pace } from "./pace.js";

function settle(promise: Promise<void>): { state: string } {
  const seen = { state: "waits" };
  promise.then(
    () => {
      seen.state = "goes on";
    },
    (error: unknown) => {
      seen.state = error instanceof CleaningStopped ? "stopped" : "failed";
    },
  );
  return seen;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the pace of a cleaning", () => {
  test("a turn of the event loop is given up after two milliseconds, and not before", async () => {
    const clock = new TestClock();
    const pace = new Pace(clock, new IoBudget(clock), Number.MAX_VALUE);
    expect(pace.isDue).toBe(false);
    clock.advance(1);
    expect(pace.isDue).toBe(false);
    clock.advance(1);
    expect(pace.isDue).toBe(true);
    const breath = settle(pace.breathe());
    await turn();
    expect(breath.state).toBe("waits");
    clock.advance(0);
    await turn();
    expect([breath.state, pace.isDue]).toEqual(["goes on", false]);
  });

  test("bytes beyond what a second may have wait, those of all cleanings together", async () => {
    const clock = new TestClock();
    const budget = new IoBudget(clock);
    const [one, other] = [new Pace(clock, budget, 1000), new Pace(clock, budget, 1000)];
    const first = settle(one.spent(500));
    const second = settle(other.spent(500));
    await turn();
    clock.advance(499);
    await turn();
    expect([first.state, second.state]).toEqual(["waits", "waits"]);
    clock.advance(1);
    await turn();
    expect([first.state, second.state]).toEqual(["goes on", "waits"]);
    clock.advance(500);
    await turn();
    expect(second.state).toBe("goes on");
    // What was not used in time is not saved up.
    clock.advance(10_000);
    const late = settle(one.spent(100));
    await turn();
    expect(late.state).toBe("waits");
  });

  test("stopping ends a wait at once, and every step after it", async () => {
    const clock = new TestClock();
    const pace = new Pace(clock, new IoBudget(clock), 1);
    const waiting = settle(pace.spent(1_000_000));
    await turn();
    expect(waiting.state).toBe("waits");
    pace.stop();
    await turn();
    expect(waiting.state).toBe("stopped");
    expect(pace.isDue).toBe(true);
    await expect(pace.breathe()).rejects.toThrow(CleaningStopped);
    await expect(pace.spent(0)).rejects.toThrow(CleaningStopped);
  });
});
