import { silentLog } from "@kaas/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { KubernetesObject } from "../api/kubernetes-object.js";
import type { Resource } from "../api/resource.js";
import { FakeKubernetesApi } from "../testing/fake-kubernetes-api.js";
import { evenRandom, TestClock } from "../testing/test-clock.js";
import { PODS } from "./pod-resource.js";
import { ReadinessGate } from "./readiness-gate.js";

interface Pod extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly Readonly<Record<string, string>>[] };
}

const pods = PODS as Resource<Pod>;
const REF = { namespace: "events", name: "kaas-0" };
const POD = { ...REF, ordinal: 0, set: "kaas" };

let clock: TestClock;
let api: FakeKubernetesApi;
let gate: ReadinessGate;
beforeEach(async () => {
  clock = new TestClock();
  api = new FakeKubernetesApi({ clock });
  gate = new ReadinessGate({ api, pod: POD, clock, random: evenRandom, log: silentLog });
  await api.create(pods, { apiVersion: "v1", kind: "Pod", metadata: REF });
  const status = { conditions: [{ type: "ContainersReady", status: "True" }] };
  await api.patch(pods, REF, { type: "merge", object: { status } }, { subresource: "status" });
  api.calls.length = 0;
});
afterEach(async () => {
  await gate.stop();
  expect(clock.pending).toBe(0);
});

const conditions = async () => (await api.get(pods, REF)).status?.conditions;

test("is told beside the conditions of others, with the time of the change", async () => {
  gate.set({ isReady: false, message: "2 of 5 partitions are open" });
  await clock.run(5000);
  gate.set({ isReady: false, message: "4 of 5 partitions are open" });
  await clock.run(5000);
  const ready = { type: "kaas.rs/PartitionsReady", lastTransitionTime: "2023-11-14T22:13:20Z" };
  expect(await conditions()).toEqual([
    { type: "ContainersReady", status: "True" },
    { ...ready, status: "False", reason: "NotAllOpen", message: "4 of 5 partitions are open" },
  ]);
  gate.set({ isReady: true, message: "all 5 partitions are open" });
  await clock.run(0);
  expect((await conditions())?.[1]).toEqual({
    ...ready,
    status: "True",
    reason: "AllOpen",
    message: "all 5 partitions are open",
    lastTransitionTime: "2023-11-14T22:13:30Z",
  });
});

test("what is told already is not told again", async () => {
  for (let round = 0; round < 10; round++) {
    gate.set({ isReady: true, message: "all open" });
    await clock.run(1000);
  }
  expect(api.calls).toHaveLength(1);
});

test("only the newest is told when the API server comes back", async () => {
  api.setReachable(false);
  for (const message of ["a", "b", "c"]) {
    gate.set({ isReady: message === "c", message });
    await clock.run(20_000);
  }
  expect(api.calls.length).toBeLessThan(40);
  api.setReachable(true);
  const before = api.calls.length;
  await clock.run(5000);
  expect(api.calls.length).toBe(before + 1);
  expect((await conditions())?.[1]?.["message"]).toBe("c");
});

test("another pod of the name is not told for", async () => {
  const known = new ReadinessGate({ api, pod: POD, podUid: "another", clock, random: evenRandom, log: silentLog });
  known.set({ isReady: true, message: "all open" });
  await clock.run(1000);
  await known.stop();
  expect(await conditions()).toHaveLength(1);
});
