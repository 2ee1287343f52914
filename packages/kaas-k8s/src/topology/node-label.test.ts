import { silentLog } from "@kaas/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServerPresence } from "../reflector/server-presence.js";
import { FakeKubernetesApi } from "../testing/fake-kubernetes-api.js";
import { evenRandom, TestClock } from "../testing/test-clock.js";
import { NodeLabel } from "./node-label.js";
import { NODES } from "./node-resource.js";

const KEY = "topology.kubernetes.io/region";

let clock: TestClock;
let api: FakeKubernetesApi;
let presence: ServerPresence;
let timesKnown: number;
let label: NodeLabel;
beforeEach(async () => {
  clock = new TestClock();
  api = new FakeKubernetesApi({ clock });
  presence = new ServerPresence();
  timesKnown = 0;
  label = make("node-1");
  const metadata = { name: "node-1", labels: { [KEY]: "north", other: "x" } };
  await api.create(NODES, { apiVersion: "v1", kind: "Node", metadata });
});
afterEach(async () => {
  await label.stop();
  expect(clock.pending).toBe(0);
});

function make(nodeName: string, key = KEY): NodeLabel {
  const known = (): void => void timesKnown++;
  const surroundings = { clock, random: evenRandom, log: silentLog, presence };
  return new NodeLabel({ api, nodeName, key, known, ...surroundings });
}

test("is read once", async () => {
  label.start();
  label.start();
  await clock.run(60_000);
  expect(label.value).toBe("north");
  expect(timesKnown).toBe(1);
  expect(api.calls.filter(({ verb }) => verb === "get")).toHaveLength(1);
});

test("that a node does not have is none", async () => {
  label = make("node-1", "no.such/label");
  label.start();
  await clock.run(1_000);
  expect(label.value).toBeNull();
  expect(timesKnown).toBe(1);
});

test("is asked for until rights, or the node, are there", async () => {
  api.fail({ verb: "get" }, { code: 403, reason: "Forbidden", message: "no" }, 3);
  label.start();
  await clock.run(500);
  expect(label.value).toBeUndefined();
  await clock.run(2_000);
  expect(label.value).toBe("north");
});

test("is asked for at once when the API server is back", async () => {
  api.setReachable(false);
  label.start();
  await clock.run(300_000);
  api.setReachable(true);
  presence.reached();
  await clock.run(0);
  expect(label.value).toBe("north");
});

test("is asked for no more once it is stopped, in a wait or in a call", async () => {
  api.setReachable(false);
  label.start();
  await clock.run(10_000);
  await label.stop();
  api.setReachable(true);
  label = make("node-1");
  api.fail({ verb: "get" }, "hang");
  label.start();
  await clock.run(100);
  await label.stop();
  await clock.run(60_000);
  expect(timesKnown).toBe(0);
});
