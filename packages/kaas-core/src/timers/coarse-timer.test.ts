import { expect, test } from "vitest";
import { ManualClock } from "../../test/fakes/manual-clock.js";
import { CoarseTimer } from "./coarse-timer.js";
import { withDeadline } from "./with-deadline.js";

function entry(): { done: boolean; expired: number; expire(): void } {
  return {
    done: false,
    expired: 0,
    expire() {
      this.expired++;
    },
  };
}

test("fires no earlier than asked and at most two resolutions late", () => {
  const clock = new ManualClock(3);
  const timer = new CoarseTimer(clock, 10);
  const waiting = entry();
  timer.add(25, waiting);
  clock.advance(25);
  expect(waiting.expired).toBe(0);
  clock.advance(20);
  expect(waiting.expired).toBe(1);
});

test("an entry that is done is forgotten, and no timer stays armed", () => {
  const clock = new ManualClock();
  const timer = new CoarseTimer(clock, 10);
  const waiting = entry();
  timer.add(5, waiting);
  waiting.done = true;
  clock.advance(100);
  expect(waiting.expired).toBe(0);
  expect(clock.pending).toBe(0);
});

test("an entry that is taken out is kept no longer, and no timer stays armed for it", () => {
  const clock = new ManualClock();
  const timer = new CoarseTimer(clock, 10);
  const [ended, waiting] = [entry(), entry()];
  const deadline = timer.add(30_000, ended);
  const other = timer.add(30_000, waiting);
  expect(timer.size).toBe(2);
  deadline.remove();
  deadline.remove();
  expect(timer.size).toBe(1);
  clock.advance(40_000);
  expect([ended.expired, waiting.expired]).toEqual([0, 1]);
  other.remove();
  expect(clock.pending).toBe(0);
});

test("entries share one clock timer", () => {
  const clock = new ManualClock();
  const timer = new CoarseTimer(clock, 10);
  for (let delay = 0; delay < 1000; delay++) timer.add(delay, entry());
  expect(clock.pending).toBe(1);
});

test("nothing fires after stop", () => {
  const clock = new ManualClock();
  const timer = new CoarseTimer(clock, 10);
  const waiting = entry();
  timer.add(5, waiting);
  timer.stop();
  clock.advance(100);
  expect(waiting.expired).toBe(0);
});

test("a deadline answers for a promise that is late, and not for one in time", async () => {
  const clock = new ManualClock();
  const timer = new CoarseTimer(clock, 10);
  const never = withDeadline(timer, 50, new Promise<string>(() => {}), () => "late");
  const quick = withDeadline(timer, 50, Promise.resolve("in time"), () => "late");
  await expect(quick).resolves.toBe("in time");
  clock.advance(100);
  await expect(never).resolves.toBe("late");
});
