import { silentLog } from "@kaas/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeKubernetesApi } from "../testing/fake-kubernetes-api.js";
import { evenRandom, TestClock } from "../testing/test-clock.js";
import { ENDPOINT_SLICES, type Endpoint } from "./endpoint-slice.js";
import { EndpointWatch } from "./endpoint-watch.js";

const SELF = { name: "kaas-1", ordinal: 1, set: "kaas", namespace: "events" };

let clock: TestClock;
let api: FakeKubernetesApi;
let watch: EndpointWatch;
let told: string[];
beforeEach(async () => {
  clock = new TestClock();
  api = new FakeKubernetesApi({ clock });
  told = [];
  watch = new EndpointWatch({ api, self: SELF, service: "brokers", clock, random: evenRandom, log: silentLog });
  watch.registry.addListener({
    brokerChanged: ({ name, state }) => void told.push(`${name} ${state}`),
    brokerGone: ({ name }) => void told.push(`${name} gone`),
  });
});
afterEach(() => watch.stop());

const pod = (
  name: string,
  conditions: Endpoint["conditions"] = { ready: true },
  more: Partial<Endpoint> = {},
): Endpoint => ({
  addresses: ["10.0.0.9"],
  conditions,
  targetRef: { kind: "Pod", name, uid: `uid-of-${name}` },
  nodeName: "node-1",
  zone: "zone-a",
  ...more,
});

async function slice(name: string, ...endpoints: Endpoint[]): Promise<void> {
  const metadata = { namespace: "events", name, labels: { "kubernetes.io/service-name": "brokers" } };
  const ref = { namespace: "events", name };
  const exists = await api.get(ENDPOINT_SLICES, ref).catch(() => undefined);
  const object = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata, endpoints };
  if (exists === undefined) await api.create(ENDPOINT_SLICES, object);
  else await api.replace(ENDPOINT_SLICES, object);
  await clock.run(0);
}

test("this broker is there and serves before anything is known, and whatever is said", async () => {
  expect(watch.registry.brokers()).toMatchObject([{ name: "kaas-1", ordinal: 1, state: "serving", addresses: [] }]);
  watch.start();
  await slice("a", pod("kaas-1", { ready: false, serving: false, terminating: true }));
  expect(watch.registry.broker(1)).toMatchObject({ state: "serving", addresses: ["10.0.0.9"], zone: "zone-a" });
  await slice("a");
  expect(watch.registry.broker(1)?.state).toBe("serving");
  expect(told.filter((line) => line !== "kaas-1 serving")).toEqual([]);
});

test("brokers serve, are fenced and go", async () => {
  watch.start();
  await slice("a", pod("kaas-0", { ready: false, serving: false }), pod("kaas-2"));
  expect(told).toEqual(["kaas-0 fenced", "kaas-2 serving"]);
  expect(watch.registry.brokers().map(({ ordinal }) => ordinal)).toEqual([0, 1, 2]);
  told.length = 0;
  await slice("a", pod("kaas-0"), pod("kaas-2", { ready: true, serving: true, terminating: true }));
  expect(told).toEqual(["kaas-0 serving", "kaas-2 fenced"]);
  told.length = 0;
  await slice("a", pod("kaas-0"));
  expect(told).toEqual(["kaas-2 gone"]);
  expect(watch.registry.broker(2)).toBeUndefined();
});

test("a Service that publishes pods before they are ready hides nothing", async () => {
  watch.start();
  await slice("a", pod("kaas-0", { ready: true, serving: false }));
  expect(watch.registry.broker(0)?.state).toBe("fenced");
});

test("a pod in two slices serves if it does in one, and is told once", async () => {
  watch.start();
  await slice("a", pod("kaas-0", { ready: false }));
  await slice("b", pod("kaas-0", { ready: true }, { addresses: ["fd00::9"] }));
  expect(watch.registry.broker(0)).toMatchObject({ state: "serving", addresses: ["10.0.0.9", "fd00::9"] });
  told.length = 0;
  await slice("a");
  expect(watch.registry.broker(0)).toMatchObject({ state: "serving", addresses: ["fd00::9"] });
  expect(told).toEqual(["kaas-0 serving"]);
});

test("what is no pod of the StatefulSet is no broker", async () => {
  watch.start();
  const service = pod("kaas-3", {}, { targetRef: { kind: "Node", name: "kaas-3" } });
  await slice("a", pod("other-0"), pod("kaas-x"), pod("kaas-00"), service, pod("kaas-4", {}, { targetRef: null }));
  expect(watch.registry.brokers().map(({ name }) => name)).toEqual(["kaas-1"]);
});

test("a watch that breaks changes nothing, and a slice that went meanwhile is noticed", async () => {
  watch.start();
  await slice("a", pod("kaas-0"));
  await slice("b", pod("kaas-2"));
  told.length = 0;
  api.setReachable(false);
  await clock.run(60_000);
  expect(told).toEqual([]);
  api.setReachable(true);
  await api.delete(ENDPOINT_SLICES, { namespace: "events", name: "a" });
  api.compact();
  await clock.run(20_000);
  expect(told).toEqual(["kaas-0 gone"]);
});

test("a pod that moves from slice to slice during a list does not go", async () => {
  watch.start();
  await slice("a", pod("kaas-0"));
  api.setReachable(false);
  api.setReachable(true);
  await slice("a");
  await slice("b", pod("kaas-0"));
  api.compact();
  told.length = 0;
  await clock.run(1000);
  expect(told).toEqual([]);
  expect(watch.registry.broker(0)?.state).toBe("serving");
});
