import fc from "fast-check";
import { expect, test } from "vitest";
import { ManualClock } from "../../test/fakes/manual-clock.js";
import { DeadlineQueue } from "./deadline-queue.js";

test("expires once, at its time and not before", () => {
  const clock = new ManualClock();
  const queue = new DeadlineQueue(clock);
  let expired = 0;
  const deadline = queue.create(() => expired++);
  deadline.schedule(100);
  clock.advance(99);
  expect([expired, deadline.pending]).toEqual([0, true]);
  clock.advance(10_000);
  expect([expired, deadline.pending]).toEqual([1, false]);
});

test("a session that is extended again and again wakes the clock once a period, not once a heartbeat", () => {
  const clock = new ManualClock();
  const queue = new DeadlineQueue(clock);
  let expired = 0;
  const deadline = queue.create(() => expired++);
  for (let beat = 0; beat < 100; beat++) {
    deadline.schedule(1_000);
    expect(clock.pending).toBe(1);
    clock.advance(100);
  }
  expect(expired).toBe(0);
  clock.advance(900);
  expect(expired).toBe(1);
});

test("many deadlines take one timer of the clock, and none when there is nothing to wait for", () => {
  const clock = new ManualClock();
  const queue = new DeadlineQueue(clock);
  for (let index = 0; index < 50; index++) queue.create(() => {}).schedule(1_000 + index * 7);
  expect(clock.pending).toBe(1);
  clock.advance(2_000);
  expect([clock.pending, queue.size]).toEqual([0, 0]);
});

test("one that throws does not take the others with it", () => {
  const clock = new ManualClock();
  const queue = new DeadlineQueue(clock);
  let expired = 0;
  queue
    .create(() => {
      throw new Error("broken");
    })
    .schedule(10);
  queue.create(() => expired++).schedule(20);
  expect(() => clock.advance(50)).toThrow("broken");
  clock.advance(50);
  expect(expired).toBe(1);
});

test("nothing expires after closing, nor is anything taken on", () => {
  const clock = new ManualClock();
  const queue = new DeadlineQueue(clock);
  const deadline = queue.create(() => expect.unreachable());
  deadline.schedule(10);
  queue.close();
  deadline.schedule(10);
  clock.advance(100);
  expect([deadline.pending, clock.pending]).toEqual([false, 0]);
});

const action = fc.oneof(
  fc.record({ kind: fc.constant("schedule" as const), id: fc.nat(7), delay: fc.integer({ min: 0, max: 40 }) }),
  fc.record({ kind: fc.constant("cancel" as const), id: fc.nat(7), delay: fc.constant(0) }),
  fc.record({ kind: fc.constant("advance" as const), id: fc.constant(0), delay: fc.integer({ min: 0, max: 25 }) }),
);

test("behaves as a plain list of times does", () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 80 }), (actions) => {
      const clock = new ManualClock(0);
      const queue = new DeadlineQueue(clock);
      const log: string[] = [];
      const due = new Map<number, number>();
      const deadlines = Array.from({ length: 8 }, (_, id) => queue.create(() => log.push(`${id}@${clock.now()}`)));
      for (const { kind, id, delay } of actions) {
        if (kind === "schedule") {
          deadlines[id]?.schedule(delay * 10);
          due.set(id, clock.now() + delay * 10);
        } else if (kind === "cancel") {
          deadlines[id]?.cancel();
          due.delete(id);
        } else {
          const until = clock.now() + delay * 10;
          clock.advance(delay * 10);
          const expected = [...due].filter(([, at]) => at <= until).map(([late, at]) => `${late}@${at}`);
          for (const [late, at] of [...due]) if (at <= until) due.delete(late);
          expect(log.splice(0).sort()).toEqual(expected.sort());
        }
        expect(deadlines.map(({ pending }) => pending)).toEqual(deadlines.map((_, index) => due.has(index)));
      }
    }),
  );
});
