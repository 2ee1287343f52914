import { expect, test } from "vitest";
import { ManualClock } from "../../../test/fakes/manual-clock.js";
import { OwnStorage } from "./own-storage.js";

/** Answers each second for a while. */
function answered(storage: OwnStorage, clock: ManualClock, ms: number): void {
  for (let passed = 0; passed < ms; passed += 1_000) {
    clock.advance(1_000);
    storage.note(0);
  }
}

test("who has had answers for ten seconds may judge others, and nobody without a recent one", () => {
  const clock = new ManualClock();
  const storage = new OwnStorage(clock);
  answered(storage, clock, 9_000);
  expect(storage.mayJudge).toBe(false);
  answered(storage, clock, 1_000);
  expect(storage.mayJudge).toBe(true);
  clock.advance(2_900);
  expect(storage.mayJudge).toBe(true);
  clock.advance(200);
  expect(storage.mayJudge).toBe(false);
});

test("after an outage it takes twice as long as that, whether it was felt or slept through", () => {
  for (const isFelt of [true, false]) {
    const clock = new ManualClock();
    const storage = new OwnStorage(clock);
    answered(storage, clock, 20_000);
    clock.advance(7_000);
    if (isFelt) storage.note(7_000);
    expect(storage.isDoubted).toBe(isFelt);
    storage.note(0);
    expect(storage.isDoubted).toBe(false);
    answered(storage, clock, 13_000);
    expect(storage.mayJudge).toBe(false);
    answered(storage, clock, 1_000);
    expect(storage.mayJudge).toBe(true);
  }
});

test("answers that come late are answers", () => {
  const clock = new ManualClock();
  const storage = new OwnStorage(clock);
  for (let times = 0; times < 10; times++) {
    clock.advance(2_500);
    storage.note(2_000);
    storage.note(0);
  }
  expect(storage.mayJudge).toBe(true);
});
