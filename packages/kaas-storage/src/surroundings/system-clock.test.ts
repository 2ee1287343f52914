import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "./system-clock.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a timer fires once, after its delay", () => {
  const callback = vi.fn();
  systemClock.schedule(100, callback);
  vi.advanceTimersByTime(99);
  expect(callback).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1000);
  expect(callback).toHaveBeenCalledTimes(1);
});

test("a cancelled timer does not fire, and cancelling again is harmless", () => {
  const callback = vi.fn();
  const timer = systemClock.schedule(100, callback);
  timer.cancel();
  timer.cancel();
  vi.advanceTimersByTime(1000);
  expect(callback).not.toHaveBeenCalled();
});

test("a delay beyond what the platform takes is kept", () => {
  const callback = vi.fn();
  const delayMs = 3 * 2 ** 31;
  systemClock.schedule(delayMs, callback);
  vi.advanceTimersByTime(delayMs - 1);
  expect(callback).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(callback).toHaveBeenCalledTimes(1);
});

test("a long delay can be cancelled after its first part", () => {
  const callback = vi.fn();
  const timer = systemClock.schedule(3 * 2 ** 31, callback);
  vi.advanceTimersByTime(2 ** 31);
  timer.cancel();
  vi.advanceTimersByTime(3 * 2 ** 31);
  expect(callback).not.toHaveBeenCalled();
});

test("time goes on", () => {
  const before = systemClock.monotonic();
  vi.advanceTimersByTime(5);
  expect(systemClock.monotonic() - before).toBe(5);
  expect(systemClock.now()).toBe(Date.now());
});
