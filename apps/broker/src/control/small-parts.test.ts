import { type Assignment, KaasError, silentLog } from "@kaas/core";
import type { KubernetesApi } from "@kaas/k8s";
import { describe, expect, test } from "vitest";
import { AssignmentMirror, mirroredStatus } from "./assignment-mirror.js";
import { errorToSend, receivedError } from "./control-link.js";
import { leaseIdentity, parseLeaseIdentity } from "./lease-identity.js";
import { PendingCalls } from "./pending-calls.js";

const assignment: Assignment = {
  controllerEpoch: 2,
  version: 3,
  controllerId: 0,
  createdMs: 0,
  brokers: [
    { nodeId: 0, name: "kaas-0", incarnation: "i", rack: "r", listeners: [], isFenced: false, isAlive: true },
    { nodeId: 1, name: "kaas-1", incarnation: "j", rack: null, listeners: [], isFenced: true, isAlive: false },
  ],
  topics: [
    { topicId: "a", name: "a", leaders: [0, 0], leaderEpochs: [1, 1] },
    { topicId: "b", name: "b", leaders: [1, -1], leaderEpochs: [1, -1] },
  ],
  slots: { groups: [0], transactions: [1] },
};

describe("an assignment as Kubernetes shows it", () => {
  test("says who leads how much", () => {
    expect(mirroredStatus(assignment)).toMatchObject({
      controllerEpoch: 2,
      version: 3,
      publishedAt: "1970-01-01T00:00:00.000Z",
      brokers: [
        { nodeId: 0, rack: "r", fenced: false, leads: 2 },
        { nodeId: 1, fenced: true, leads: 1 },
      ],
      topicCount: 2,
      partitionCount: 4,
      truncated: false,
    });
  });

  test("leaves topics out where it would be too large, and says so", () => {
    const whole = JSON.stringify(mirroredStatus(assignment)).length;
    const clipped = mirroredStatus(assignment, whole - 60);
    expect(clipped).toMatchObject({ truncated: true, topics: [{ name: "a" }], topicCount: 2 });
  });

  test("is the newest, though writing fails or is slow", async () => {
    const written: number[] = [];
    let fail = true;
    const patch = async (
      _resource: unknown,
      _ref: unknown,
      { object }: { object: { status: { version: number } } },
    ) => {
      await Promise.resolve();
      if (fail) throw new Error("unreachable");
      written.push(object.status.version);
      return object;
    };
    const api = { patch } as unknown as KubernetesApi;
    const mirror = new AssignmentMirror({ api, namespace: "n", name: "kaas", log: silentLog });
    mirror.show(assignment);
    await new Promise((resolve) => setImmediate(resolve));
    fail = false;
    for (const version of [4, 5, 6]) mirror.show({ ...assignment, version });
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toEqual([4, 6]);
  });
});

test("a holder of the lease is a process, not only a name", () => {
  const identity = { broker: "kaas-0", incarnation: "x_-Y" };
  expect(parseLeaseIdentity(leaseIdentity(identity))).toEqual(identity);
  for (const foreign of ["kaas-0", "a/b/c", "/b", "a/", ""]) expect(parseLeaseIdentity(foreign)).toBeUndefined();
});

test("errors cross to the other thread with their code", () => {
  const closed = receivedError(errorToSend(new KaasError("KAAS_CLOSED", "it is closed")));
  expect(closed).toBeInstanceOf(KaasError);
  expect(closed).toMatchObject({ code: "KAAS_CLOSED", message: "it is closed" });
  expect(receivedError(errorToSend(new Error("other")))).not.toBeInstanceOf(KaasError);
  expect(receivedError(errorToSend("text")).message).toBe("text");
});

test("calls are answered by number, or all fail when nobody is left to answer", async () => {
  const calls = new PendingCalls<string>();
  const ids: number[] = [];
  const started = [1, 2, 3].map(() => calls.start((id) => void ids.push(id)));
  calls.resolve(ids[1] ?? 0, "second");
  calls.reject(ids[0] ?? 0, new Error("first"));
  calls.resolve(99, "nobody");
  calls.end(new Error("over"));
  await expect(started[0]).rejects.toThrow("first");
  await expect(started[1]).resolves.toBe("second");
  await expect(started[2]).rejects.toThrow("over");
  await expect(calls.start(() => undefined)).rejects.toThrow("over");
});
