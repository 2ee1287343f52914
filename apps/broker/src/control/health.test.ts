import type { Assignment, ControllerStatus } from "@kaas/core";
import { describe, expect, test } from "vitest";
import { controlMetrics } from "./control-metrics.js";
import { type BrokerCondition, type ClusterCondition, healthBody, missingForReadiness } from "./health-view.js";
import { LivenessWatch, TICK_STALE_MS, tick, tickMemory } from "./liveness.js";
import type { DataPlaneStatus } from "./messages.js";

const status: DataPlaneStatus = {
  listeners: [{ listenerName: "PLAINTEXT", host: "h", port: 1 }],
  storage: "ok",
  fuseAgeMs: 3.4,
  led: 5,
  assigned: 5,
  recovering: 0,
  releasing: 0,
};

const alone: BrokerCondition = {
  name: "kaas-0",
  incarnation: "i",
  version: "1",
  silentMs: 1.4,
  isAlive: true,
  isDraining: false,
  status,
  cluster: undefined,
};

const assignment: Assignment = {
  controllerEpoch: 2,
  version: 3,
  controllerId: 0,
  createdMs: 0,
  brokers: [],
  topics: [{ topicId: "t", name: "t", leaders: [0, -1, 1], leaderEpochs: [1, 1, 1] }],
  slots: { groups: [0], transactions: [0] },
};

const controller: ControllerStatus = {
  state: "active",
  controllerEpoch: 2,
  version: 3,
  publishedAgoMs: 10,
  moving: 4,
  leaderless: 1,
  brokers: [
    { nodeId: 0, name: "kaas-0", incarnation: "i", state: "leading", silentMs: 1 },
    { nodeId: 1, name: "kaas-1", incarnation: "j", state: "lost", silentMs: 9_000 },
  ],
};

const cluster: ClusterCondition = {
  assignment,
  assignmentAgeMs: 10,
  nodeIdOwner: undefined,
  controller,
  leaseHolder: "kaas-0",
  isHeard: true,
  isTopicWatchSynced: true,
  topicWatch: "watching",
  isDrainWished: false,
  rack: "zone-a",
  pods: [
    {
      name: "kaas-0",
      ordinal: 0,
      state: "serving",
      addresses: ["10.0.0.1"],
      zone: "zone-a",
      nodeName: "node-1",
      podUid: "u",
    },
    {
      name: "kaas-1",
      ordinal: 1,
      state: "fenced",
      addresses: [],
      zone: undefined,
      nodeName: undefined,
      podUid: undefined,
    },
  ],
};

describe("readiness", () => {
  test("is there when all is bound, open and alive", () => {
    expect(missingForReadiness(alone)).toEqual([]);
    expect(missingForReadiness({ ...alone, cluster })).toEqual([]);
  });

  test.each<[string, Partial<BrokerCondition>]>([
    ["the data plane does not answer", { isAlive: false }],
    ["the listeners are not bound", { status: { ...status, listeners: [] } }],
    ["the listeners are not bound", { status: undefined }],
    ["what is led here is handed over", { isDraining: true }],
    ["2 of 5 partitions and slots are not open", { status: { ...status, recovering: 2 } }],
    ["another process has taken over", { status: { ...status, storage: "fenced" } }],
    [
      "its node id is that of other-0, which lives",
      { cluster: { ...cluster, assignment: undefined, nodeIdOwner: "other-0" } },
    ],
    ["no assignment is known", { cluster: { ...cluster, assignment: undefined } }],
  ])("is not: %s", (reason, different) => {
    expect(missingForReadiness({ ...alone, ...different })).toEqual([reason]);
  });
});

describe("health", () => {
  test("says how the broker is, and what it knows of its cluster", () => {
    expect(healthBody(alone)).toMatchObject({
      healthy: true,
      dataPlane: { alive: true, silentMs: 1 },
      listeners: ["PLAINTEXT://h:1"],
      leadership: { led: 5, assigned: 5, recovering: 0, releasing: 0 },
      storage: { status: "ok", stalled: false },
      fuse: { ageMs: 3 },
    });
    expect(healthBody({ ...alone, cluster })["cluster"]).toMatchObject({
      controllerId: 0,
      leaseHolder: "kaas-0",
      assignment: { controllerEpoch: 2, version: 3, ageMs: 10 },
      topicWatchSynced: true,
      topicWatch: "watching",
      rack: "zone-a",
      pods: [
        { name: "kaas-0", state: "serving", zone: "zone-a" },
        { name: "kaas-1", state: "fenced", zone: null },
      ],
    });
    const unknown = healthBody({
      ...alone,
      status: undefined,
      cluster: { ...cluster, assignment: undefined, leaseHolder: undefined, rack: null, pods: undefined },
    });
    expect(unknown).toMatchObject({
      storage: { status: "unknown" },
      fuse: { ageMs: null },
      cluster: { controllerId: -1, leaseHolder: null, rack: null, pods: null },
    });
  });
});

describe("metrics of the control plane", () => {
  test("of a broker that is alone: it is its own controller", () => {
    const text = controlMetrics({ ...alone, isAlive: false });
    expect(text).toContain('kaas_build_info{version="1"} 1\n');
    expect(text).toContain("\nkaas_data_plane_alive 0\n");
    expect(text).toContain("\nkafka_controller_kafkacontroller_activecontrollercount 1\n");
  });

  test("of the controller: what it thinks of the others, and what nobody leads", () => {
    const text = controlMetrics({ ...alone, cluster });
    expect(text).toContain("\nkafka_controller_kafkacontroller_offlinepartitionscount 1\n");
    expect(text).toContain('\nkaas_controller_brokers{state="lost"} 1\n');
    expect(text).toContain("\nkaas_assignment_version 3\n");
    expect(text).toContain('\nkaas_pods{state="serving"} 1\nkaas_pods{state="fenced"} 1\n');
    expect(controlMetrics({ ...alone, cluster: { ...cluster, pods: undefined } })).not.toContain("kaas_pods");
  });

  test("a broker that somebody wants to lead nothing drains, whether or not it is stopping", () => {
    const drains = (changes: Partial<Parameters<typeof controlMetrics>[0]>): string | undefined =>
      /^kaas_draining (\d)$/m.exec(controlMetrics({ ...alone, ...changes }))?.[1];
    expect(drains({ isDraining: true })).toBe("1");
    expect(drains({ isDraining: false, cluster: { ...cluster, isDrainWished: true } })).toBe("1");
    expect(drains({ isDraining: false, cluster: { ...cluster, isDrainWished: false } })).toBe("0");
  });

  test("of another broker: nothing of that", () => {
    const idle = { ...cluster, controller: { ...controller, state: "idle" as const } };
    const text = controlMetrics({ ...alone, cluster: idle });
    expect(text).toContain("\nkafka_controller_kafkacontroller_activecontrollercount 0\n");
    expect(text).toContain("\nkafka_controller_kafkacontroller_offlinepartitionscount 0\n");
    expect(text).not.toContain("kaas_controller_brokers");
    expect(controlMetrics({ ...alone, cluster: { ...idle, assignment: undefined } })).toContain("assignment_epoch -1");
  });
});

describe("the data plane", () => {
  const LOOK_MS = 500;
  const memory = tickMemory();
  let now = 0;
  const watch = new LivenessWatch(memory, () => now);
  const look = (forMs: number): boolean => {
    for (const endMs = now + forMs; now < endMs; now = Math.min(endMs, now + LOOK_MS)) void watch.silentMs;
    return watch.isAlive;
  };

  test("counts as stuck when it has shown nothing for a while, and no longer when it does", () => {
    expect(look(TICK_STALE_MS - 1)).toBe(true);
    tick(memory);
    expect(watch.silentMs).toBe(0);
    expect(look(TICK_STALE_MS)).toBe(false);
    tick(memory);
    expect(watch.isAlive).toBe(true);
  });

  test("is not held to be stuck because the process was stopped, or its machine was", () => {
    now += 60_000;
    expect(watch.isAlive).toBe(true);
    expect(look(TICK_STALE_MS)).toBe(false);
  });
});
