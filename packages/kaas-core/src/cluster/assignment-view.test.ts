import { expect, test } from "vitest";
import type { ClusterBroker } from "../ports/cluster-view.js";
import type { Assignment } from "./assignment.js";
import { AssignmentView } from "./assignment-view.js";
import { SoleBroker } from "./sole-broker.js";

const SELF = { nodeId: 1, name: "kaas-1", incarnation: "one", rack: "r1" };
const LISTENERS = [{ listenerName: "PLAINTEXT", host: "b1", port: 9092 }];
const TOPIC = "AAAAAAAAAAAAAAAAAAAAAQ";

function broker(nodeId: number, changes: Partial<ClusterBroker> = {}): ClusterBroker {
  return {
    nodeId,
    name: `kaas-${nodeId}`,
    incarnation: `i${nodeId}`,
    rack: null,
    listeners: [{ listenerName: "PLAINTEXT", host: `b${nodeId}`, port: 9092 }],
    isFenced: false,
    isAlive: true,
    ...changes,
  };
}

function assignment(changes: Partial<Assignment>): Assignment {
  return {
    controllerEpoch: 1,
    version: 1,
    controllerId: 2,
    createdMs: 0,
    brokers: [],
    topics: [],
    slots: { groups: [], transactions: [] },
    ...changes,
  };
}

test("before any assignment there is this broker, and nobody leads", () => {
  const view = new AssignmentView(SELF);
  expect(view.brokers()).toEqual([{ ...SELF, listeners: [], isFenced: false, isAlive: true }]);
  expect([view.controllerId, view.coordinator("groups", 0), view.leadership(TOPIC, 0)]).toEqual([-1, -1, undefined]);
});

test("goes forward only", () => {
  const view = new AssignmentView(SELF);
  const adopted = [
    [2, 1],
    [2, 1],
    [1, 9],
    [2, 3],
    [2, 2],
    [3, 0],
  ].map(([controllerEpoch = 0, version = 0]) => view.adopt(assignment({ controllerEpoch, version })));
  expect(adopted).toEqual([true, false, false, true, false, true]);
  expect(view.assignment).toMatchObject({ controllerEpoch: 3, version: 0 });
});

test("tells who leads and coordinates", () => {
  const view = new AssignmentView(SELF);
  view.adopt(
    assignment({
      topics: [{ topicId: TOPIC, name: "t", leaders: [0, 1, -1], leaderEpochs: [7, -1, 4] }],
      slots: { groups: [0, 1], transactions: [1, -1] },
    }),
  );
  expect([0, 1, 2, 3].map((partition) => view.leadership(TOPIC, partition))).toEqual([
    { leaderId: 0, leaderEpoch: 7 },
    { leaderId: 1, leaderEpoch: -1 },
    { leaderId: -1, leaderEpoch: 4 },
    undefined,
  ]);
  expect([view.coordinator("groups", 1), view.coordinator("transactions", 1)]).toEqual([1, -1]);
  expect(view.coordinator("groups", 2)).toBe(-1);
});

test("of itself a broker knows best how it is reached, and that it is not its predecessor", () => {
  const view = new AssignmentView(SELF);
  view.advertise(LISTENERS);
  view.adopt(assignment({ brokers: [broker(0), broker(1, { incarnation: "earlier", isFenced: true }), broker(2)] }));
  expect(view.brokers().map(({ nodeId }) => nodeId)).toEqual([0, 1, 2]);
  expect(view.broker(1)).toEqual({ ...SELF, listeners: LISTENERS, isFenced: false, isAlive: true });
  view.adopt(assignment({ version: 2, brokers: [broker(1, { incarnation: "one", isFenced: true })] }));
  expect(view.broker(1)).toEqual({ ...SELF, listeners: LISTENERS, isFenced: true, isAlive: true });
  expect(view.broker(0)).toBeUndefined();
});

test("another process lives as long as the controller hears of it, fenced or not", () => {
  const view = new AssignmentView(SELF);
  view.adopt(assignment({ brokers: [broker(0, { isFenced: true }), broker(2, { isFenced: true, isAlive: false })] }));
  expect(["i0", "i2", "earlier", "one"].map((incarnation) => view.isAlive(incarnation))).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

test("says when something has changed, until that is taken back", () => {
  const view = new AssignmentView(SELF);
  let changes = 0;
  const stop = view.onChange(() => changes++);
  view.onChange(() => changes++)();
  view.adopt(assignment({}));
  view.adopt(assignment({}));
  view.advertise(LISTENERS);
  stop();
  view.adopt(assignment({ version: 2 }));
  expect(changes).toBe(2);
});

test("a sole broker leads and coordinates everything", () => {
  const view = new SoleBroker(SELF);
  expect([view.nodeId, view.controllerId, view.coordinator()]).toEqual([1, 1, 1]);
  expect(view.leadership()).toEqual({ leaderId: 1, leaderEpoch: -1 });
  view.advertise(LISTENERS);
  expect(view.brokers()).toEqual([{ ...SELF, listeners: LISTENERS, isFenced: false, isAlive: true }]);
  expect(view.broker(1)).toBe(view.brokers()[0]);
  expect(view.broker(0)).toBeUndefined();
});
