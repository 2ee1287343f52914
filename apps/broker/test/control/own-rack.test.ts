import { type ClusterBroker, silentLog } from "@kaas/core";
import { BrokerRegistry, ServerPresence } from "@kaas/k8s";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeKubernetesApi } from "../../../../packages/kaas-k8s/src/testing/fake-kubernetes-api.js";
import { evenRandom, TestClock } from "../../../../packages/kaas-k8s/src/testing/test-clock.js";
import { NODES } from "../../../../packages/kaas-k8s/src/topology/node-resource.js";
import type { ClusterControlSettings } from "../../src/control/control-settings.js";
import { OwnRack } from "../../src/control/own-rack.js";

const ZONE = "topology.kubernetes.io/zone";
const REGION = "topology.kubernetes.io/region";
const SELF = { name: "kaas-1", ordinal: 1, set: "kaas", namespace: "events" };

let clock: TestClock;
let api: FakeKubernetesApi;
let registry: BrokerRegistry;
let published: string | null;
let timesChanged: number;
let racks: OwnRack[];
beforeEach(async () => {
  clock = new TestClock();
  api = new FakeKubernetesApi({ clock });
  registry = new BrokerRegistry(SELF);
  published = null;
  timesChanged = 0;
  racks = [];
  const metadata = { name: "node-1", labels: { [ZONE]: "by-node", [REGION]: "north" } };
  await api.create(NODES, { apiVersion: "v1", kind: "Node", metadata });
});
afterEach(async () => {
  for (const rack of racks) await rack.stop();
});

function rackOf(settings: Partial<ClusterControlSettings>, endpoints?: BrokerRegistry): OwnRack {
  const given = { nodeId: 1, rack: null, rackTopologyKey: ZONE, nodeName: "node-1", podUid: "uid-1", ...settings };
  const rack = new OwnRack({
    settings: given as unknown as ClusterControlSettings,
    api,
    endpoints,
    published: () => ({ rack: published }) as ClusterBroker,
    changed: () => void timesChanged++,
    clock,
    random: evenRandom,
    log: silentLog,
    presence: new ServerPresence(),
  });
  racks.push(rack);
  rack.start();
  return rack;
}

function listed(zone: string | null, uid = "uid-1"): void {
  const endpoint = { addresses: ["10.0.0.1"], targetRef: { kind: "Pod", name: "kaas-1", uid }, zone };
  const resourceVersion = `${clock.monotonic()}-${zone}-${uid}`;
  const metadata = { namespace: "events", name: "a", resourceVersion };
  registry.sink.changed({ apiVersion: "v1", kind: "EndpointSlice", metadata, endpoints: [endpoint] });
}

test("is what the configuration says, whatever Kubernetes does", async () => {
  listed("a");
  const rack = rackOf({ rack: "mine" }, registry);
  await clock.run(1_000);
  expect(rack.value).toBe("mine");
  expect(api.calls.filter(({ verb }) => verb === "get")).toEqual([]);
});

test("is none where nobody asks for one", () => {
  listed("a");
  published = "earlier";
  expect(rackOf({ rackTopologyKey: undefined }, registry).value).toBeNull();
});

test("is the zone that Kubernetes tells of this pod; no node is read", async () => {
  const rack = rackOf({}, registry);
  expect(rack.value).toBeNull();
  listed("a");
  expect(rack.value).toBe("a");
  await clock.run(1_000);
  expect(api.calls.filter(({ verb }) => verb === "get")).toEqual([]);
});

test("is not the zone of an earlier pod of the name", () => {
  const rack = rackOf({}, registry);
  listed("old", "uid-0");
  expect(rack.value).toBeNull();
  listed("new");
  expect(rack.value).toBe("new");
});

test("is what the cluster knew last until Kubernetes has said it", () => {
  published = "earlier";
  const rack = rackOf({}, registry);
  expect(rack.value).toBe("earlier");
  listed("a");
  expect(rack.value).toBe("a");
  listed(null);
  expect(rack.value).toBeNull();
});

test("is any other label of the node, which is read, and so is the zone where no Service is known", async () => {
  const region = rackOf({ rackTopologyKey: REGION }, registry);
  const zone = rackOf({});
  listed("a");
  expect([region.value, zone.value]).toEqual([null, null]);
  await clock.run(1_000);
  expect([region.value, zone.value]).toEqual(["north", "by-node"]);
  expect(timesChanged).toBe(2);
});
