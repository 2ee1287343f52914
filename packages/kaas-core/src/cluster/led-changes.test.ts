import { array, assert, constantFrom, integer, oneof, property, record } from "fast-check";
import { expect, test } from "vitest";
import type { HeartbeatReport } from "./heartbeat.js";
import { KnownBroker } from "./controller/known-broker.js";
import { LedChanges } from "./led-changes.js";

const SELF: HeartbeatReport = {
  nodeId: 1,
  name: "kaas-1",
  incarnation: "one",
  startedMs: 0,
  rack: null,
  listeners: [],
  isHealthy: true,
  isDraining: false,
  sequence: 0,
  isWhole: true,
  led: [],
  slots: { groups: [], transactions: [] },
};

test("says everything once, then what has changed", () => {
  const changes = new LedChanges();
  changes.opened("t", 0, 4);
  changes.opened("t", 1, 5);
  changes.closed("t", 1);
  changes.closed("t", 7);
  expect(changes.hasNews).toBe(true);
  expect(changes.next()).toEqual({ sequence: 0, isWhole: true, led: [{ topicId: "t", partition: 0, leaderEpoch: 4 }] });
  expect(changes.hasNews).toBe(false);
  changes.opened("t", 0, 4);
  expect(changes.next()).toEqual({ sequence: 1, isWhole: false, led: [] });
  changes.closed("t", 0);
  expect(changes.hasNews).toBe(true);
  expect(changes.next()).toEqual({
    sequence: 2,
    isWhole: false,
    led: [{ topicId: "t", partition: 0, leaderEpoch: -1 }],
  });
  changes.restart();
  expect(changes.next()).toEqual({ sequence: 3, isWhole: true, led: [] });
});

const step = oneof(
  record({ kind: constantFrom("opened", "closed"), partition: integer({ min: 0, max: 3 }) }),
  record({ kind: constantFrom("report", "lose", "repeat"), partition: constantFrom(0) }),
);

test("whatever is lost or comes twice, the controller knows what is led once it has heard enough", () => {
  assert(
    property(array(step, { maxLength: 60 }), (steps) => {
      const changes = new LedChanges();
      const led = new Map<number, number>();
      const broker = KnownBroker.reporting(SELF, 0);
      let last: HeartbeatReport | undefined;
      const report = (isLost: boolean): void => {
        last = { ...SELF, ...changes.next() };
        if (!isLost && !broker.follow(last)) changes.restart();
      };
      for (const [epoch, { kind, partition }] of steps.entries()) {
        if (kind === "opened") {
          changes.opened("t", partition, epoch);
          led.set(partition, epoch);
        } else if (kind === "closed") {
          changes.closed("t", partition);
          led.delete(partition);
        } else if (kind === "repeat") {
          if (last !== undefined) broker.follow(last);
        } else report(kind === "lose");
      }
      report(false);
      report(false);
      return [0, 1, 2, 3].every((partition) => broker.leaderEpoch("t", partition) === led.get(partition));
    }),
  );
});
