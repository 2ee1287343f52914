import { type Assignment, silentLog } from "@kaas/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { KAFKA_CLUSTER_ASSIGNMENTS } from "../custom-resources.js";
import { FakeKubernetesApi } from "../testing/fake-kubernetes-api.js";
import { evenRandom, TestClock } from "../testing/test-clock.js";
import { assignmentStatus } from "./assignment-status.js";
import { AssignmentsMirror } from "./assignments-mirror.js";

const REF = { namespace: "events", name: "kaas" };

function assignment(version: number, topicCount: number): Assignment {
  return {
    controllerEpoch: 3,
    version,
    controllerId: 1,
    createdMs: 1_700_000_000_000,
    brokers: [0, 1].map((nodeId) => ({
      nodeId,
      name: `kaas-${nodeId}`,
      incarnation: "i",
      rack: nodeId === 0 ? "zone-a" : null,
      listeners: [],
      isFenced: nodeId === 0,
      isAlive: true,
    })),
    topics: Array.from({ length: topicCount }, (_, index) => ({
      topicId: "AAAAAAAAAAAAAAAAAAAAAQ",
      name: `topic-${String(topicCount - index).padStart(5, "0")}`,
      leaders: [1, -1, 1],
      leaderEpochs: [5, -1, 6],
    })),
    slots: { groups: [1, 1], transactions: [1, -1] },
  };
}

describe("the status", () => {
  test("says who leads what, and how much in all", () => {
    expect(assignmentStatus(assignment(7, 1))).toEqual({
      controllerId: 1,
      controllerEpoch: 3,
      version: 7,
      publishedAt: "2023-11-14T22:13:20.000Z",
      brokers: [
        { nodeId: 0, name: "kaas-0", rack: "zone-a", fenced: true, leads: 0 },
        { nodeId: 1, name: "kaas-1", fenced: false, leads: 2 },
      ],
      topics: [
        { name: "topic-00001", topicId: "AAAAAAAAAAAAAAAAAAAAAQ", leaders: [1, -1, 1], leaderEpochs: [5, -1, 6] },
      ],
      slots: { groups: [1, 1], transactions: [1, -1] },
      topicCount: 1,
      partitionCount: 3,
      truncated: false,
    });
  });

  test("leaves out what would make it too large, and says so", () => {
    const status = assignmentStatus(assignment(1, 10_000));
    expect(status).toMatchObject({ truncated: true, topicCount: 10_000, partitionCount: 30_000 });
    expect(status.topics?.length).toBeGreaterThan(1000);
    expect(status.topics?.[0]?.name).toBe("topic-00001");
    expect(Buffer.byteLength(JSON.stringify(status))).toBeLessThan(900_000);
    expect(assignmentStatus(assignment(1, 100), 10).topics).toEqual([]);
  });
});

describe("the mirror", () => {
  let clock: TestClock;
  let api: FakeKubernetesApi;
  let mirror: AssignmentsMirror;
  beforeEach(() => {
    clock = new TestClock();
    api = new FakeKubernetesApi({ clock });
    mirror = new AssignmentsMirror({ api, ...REF, clock, random: evenRandom, log: silentLog });
  });
  afterEach(async () => {
    await mirror.stop();
    expect(clock.pending).toBe(0);
  });

  const create = () =>
    api.create(KAFKA_CLUSTER_ASSIGNMENTS, {
      apiVersion: "kaas.rs/v1alpha1",
      kind: "KafkaClusterAssignments",
      metadata: REF,
    });
  const version = async () => (await api.get(KAFKA_CLUSTER_ASSIGNMENTS, REF)).status?.version;

  test("writes the newest, and no more than one a second", async () => {
    await create();
    for (let number = 1; number <= 50; number++) mirror.publish(assignment(number, 1));
    await clock.run(1000);
    expect(await version()).toBe(50);
    const before = api.calls.length;
    for (let number = 51; number <= 90; number++) {
      mirror.publish(assignment(number, 1));
      await clock.run(100);
    }
    await clock.run(2000);
    expect(await version()).toBe(90);
    expect(api.calls.length - before).toBeLessThan(8);
  });

  test("never makes the object, and waits until the operator has", async () => {
    mirror.publish(assignment(1, 1));
    await clock.run(10_000);
    await expect(version()).rejects.toMatchObject({ status: 404 });
    await create();
    await clock.run(60_000);
    expect(await version()).toBe(1);
  });

  test("outlives an API server that is away", async () => {
    await create();
    api.setReachable(false);
    mirror.publish(assignment(1, 1));
    await clock.run(60_000);
    api.setReachable(true);
    await clock.run(60_000);
    expect(await version()).toBe(1);
  });
});
