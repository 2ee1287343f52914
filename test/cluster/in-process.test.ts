import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BrokerConfig, KaasError, silentLog } from "@kaas/core";
import { DrainWishes, openVolume, posixFileSystem, systemClock, systemRandom } from "@kaas/storage";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { serveInCluster } from "../../apps/broker/src/compose-cluster.js";
import type { ServingBroker } from "../../apps/broker/src/compose.js";
import { serveWithProbes } from "../../apps/broker/src/compose-with-probes.js";
import { FakeKubernetesApi } from "../../packages/kaas-k8s/src/testing/fake-kubernetes-api.js";
import { connectedProducer, kafka, leaderOf } from "./clients.js";
import { freePort } from "../lib/free-port.js";
import { until } from "./cluster.js";
import { controlInProcess } from "./control-in-process.js";

const SLOTS = 4;
/** On a machine that does much else. */
const PATIENCE_MS = 300_000;
const WAIT_MS = 120_000;

let directory: string;
let api: FakeKubernetesApi;
let serving: ServingBroker[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "kaas-in-process-"));
  api = new FakeKubernetesApi({ clock: systemClock });
  serving = [];
});

afterEach(async () => {
  await Promise.all(serving.map((one) => one.close()));
  rmSync(directory, { recursive: true, force: true });
});

/** A broker, and the port that tells how it is. */
async function broker(ordinal: number): Promise<{ served: ServingBroker; healthPort: number }> {
  const [peersPort, healthPort] = [await freePort(), await freePort()];
  const served = await serveInCluster(
    {
      config: new BrokerConfig({
        "node.id": `${ordinal}`,
        listeners: "PLAINTEXT://127.0.0.1:0",
        "offsets.topic.num.partitions": `${SLOTS}`,
        "group.initial.rebalance.delay.ms": "0",
      }),
      directories: [join(directory, "data")],
      log: silentLog,
      logLevel: "info",
      isTerminal: false,
      version: "0",
      startedMs: systemClock.now(),
      health: { host: "127.0.0.1", port: healthPort },
      cluster: {
        identity: { name: `kaas-${ordinal}`, ordinal, set: "kaas", namespace: "default" },
        podUid: undefined,
        nodeAddress: undefined,
        nodeName: undefined,
        service: "kaas-brokers",
        rackTopologyKey: "topology.kubernetes.io/zone",
        clusterName: "kaas",
        clusterDirectory: join(directory, "cluster"),
        peers: {
          host: "127.0.0.1",
          port: peersPort,
          address: `127.0.0.1:${peersPort}`,
          token: "a secret of this test",
        },
        drainMs: 5_000,
      },
    },
    controlInProcess(api),
  );
  serving.push(served);
  return { served, healthPort };
}

/** As the controllers of Kubernetes write down where pods are. */
async function placePods(zones: readonly string[]): Promise<void> {
  const endpoints = zones.map((zone, ordinal) => ({
    addresses: [`10.0.0.${ordinal}`],
    conditions: { ready: true },
    targetRef: { kind: "Pod", name: `kaas-${ordinal}` },
    zone,
  }));
  const labels = { "kubernetes.io/service-name": "kaas-brokers" };
  const metadata = { name: "kaas-brokers-1", namespace: "default", labels };
  const group = "discovery.k8s.io";
  const slices = { group, version: "v1", kind: "EndpointSlice", plural: "endpointslices", isNamespaced: true };
  await api.create(slices, { apiVersion: `${group}/v1`, kind: "EndpointSlice", metadata, endpoints } as never);
}

async function makeTopic(name: string, partitions: number): Promise<string> {
  const volume = await openVolume({
    directory: join(directory, "data"),
    clusterDirectory: join(directory, "cluster"),
    sharing: "shared",
    brokerName: "operator",
    slotCount: SLOTS,
  });
  const topic = await volume.topics.create(name, partitions, {});
  await volume.close();
  return topic?.id ?? "";
}

const address = ({ broker: { endpoints } }: ServingBroker): string => `127.0.0.1:${endpoints[0]?.port}`;

async function get(port: number, path: string): Promise<{ status: number; body: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, body: await response.text() };
}

const isReady = async (port: number): Promise<boolean> => (await get(port, "/readyz")).status === 200;

describe("brokers on one volume", { timeout: PATIENCE_MS }, () => {
  test("share partitions, and one that is asked to stop hands over before it goes", async () => {
    await makeTopic("t", 4);
    await placePods(["zone-a", "zone-b"]);
    const [first, second] = [await broker(0), await broker(1)];
    await until(async () => (await isReady(first.healthPort)) && (await isReady(second.healthPort)), WAIT_MS);
    const client = kafka([address(first.served), address(second.served)]);
    const producer = await connectedProducer(client);
    await until(async () => {
      const leaders = await Promise.all([0, 1, 2, 3].map((partition) => leaderOf(client, "t", partition)));
      return leaders.includes(0) && leaders.includes(1) && !leaders.includes(-1);
    }, WAIT_MS);
    const messages = [0, 1, 2, 3].map((partition) => ({ partition, value: "before" }));
    await producer.send({ topic: "t", acks: -1, messages });
    const health = JSON.parse((await get(first.healthPort, "/healthz")).body);
    expect(health).toMatchObject({ healthy: true, name: "kaas-0" });
    // Its Lease may have run out meanwhile, and have been taken again.
    expect(health.cluster.assignment.controllerEpoch).toBeGreaterThanOrEqual(1);
    // Where pods are is watched, and told to the controller with the next heartbeat.
    await vi.waitFor(
      async () => {
        const { cluster, leadership } = JSON.parse((await get(first.healthPort, "/healthz")).body);
        expect(leadership).toMatchObject({ recovering: 0 });
        expect(cluster).toMatchObject({ rack: "zone-a", pods: [{ name: "kaas-0" }, { name: "kaas-1" }] });
        const newest = JSON.parse(readFileSync(join(directory, "cluster", "assignment.json"), "utf8"));
        expect(newest.brokers.map(({ rack }: { rack: string | null }) => rack)).toEqual(["zone-a", "zone-b"]);
      },
      { timeout: WAIT_MS },
    );
    await serving.shift()?.close();
    const after = await producer.send({ topic: "t", acks: -1, messages });
    // A client that tries again what had been acknowledged by the other broker appends it a second time.
    expect(after.every(({ baseOffset }) => Number(baseOffset) >= 1)).toBe(true);
    const metrics = (await get(second.healthPort, "/metrics")).body;
    expect(metrics).toMatch(/^kafka_controller_kafkacontroller_activecontrollercount [01]$/m);
    expect(metrics).toMatch(/^kafka_server_replicamanager_leadercount 4$/m);
    expect(metrics).toMatch(/^kafka_server_brokertopicmetrics_messagesin_total\{topic="t"\} [1-9]/m);
    await producer.disconnect();
  });

  test("one that is to lead nothing hands over and stays, also when it is started again, until that is undone", async () => {
    await makeTopic("t", 4);
    const other = await broker(1);
    let drained = await broker(0);
    const led = async (port: number): Promise<number> =>
      JSON.parse((await get(port, "/healthz")).body).leadership.led as number;
    const leads = async (): Promise<boolean> =>
      (await led(drained.healthPort)) > 0 && (await led(other.healthPort)) > 0;
    const leadsNothing = async (): Promise<boolean> =>
      (await led(drained.healthPort)) === 0 && (await led(other.healthPort)) >= 4 + SLOTS;
    await until(leads, WAIT_MS);
    const wishes = new DrainWishes({ fileSystem: posixFileSystem, random: systemRandom }, join(directory, "cluster"));
    await wishes.wish("kaas-0", 0);
    await until(leadsNothing, WAIT_MS);
    await until(() => isReady(drained.healthPort), WAIT_MS);
    const { cluster } = JSON.parse((await get(drained.healthPort, "/healthz")).body);
    expect(cluster.drainWished).toBe(true);
    await serving.pop()?.close();
    drained = await broker(0);
    await until(() => isReady(drained.healthPort), WAIT_MS);
    expect(await leadsNothing()).toBe(true);
    await wishes.withdraw("kaas-0");
    await until(leads, WAIT_MS);
  });

  test("go on by what the volume says while no API server is there, and answer admin changes that they cannot make", async () => {
    await makeTopic("t", 1);
    const before = await broker(0);
    await until(() => isReady(before.healthPort), WAIT_MS);
    await serving.shift()?.close();
    api.setReachable(false);
    const { served, healthPort } = await broker(0);
    await until(() => isReady(healthPort), WAIT_MS);
    const client = kafka([address(served)]);
    const producer = await connectedProducer(client);
    await producer.send({ topic: "t", acks: -1, messages: [{ value: "1" }] });
    const admin = client.admin();
    await admin.connect();
    await expect(admin.createTopics({ topics: [{ topic: "new" }], timeout: 500 })).rejects.toThrow();
    await Promise.all([admin.disconnect(), producer.disconnect()]);
  });

  test("take topics that appear, and let go of those whose resource goes", async () => {
    const { served, healthPort } = await broker(0);
    const topicId = await makeTopic("t", 1);
    const topic = { apiVersion: "kaas.rs/v1alpha1", kind: "KafkaTopic", metadata: { name: "t", namespace: "default" } };
    const resource = {
      group: "kaas.rs",
      version: "v1alpha1",
      plural: "kafkatopics",
      kind: "KafkaTopic",
      isNamespaced: true,
    };
    await api.create(resource, { ...topic, spec: { partitions: 1 } } as never);
    const status = { type: "merge", object: { status: { topicId } } } as const;
    await api.patch(resource, { namespace: "default", name: "t" }, status, { subresource: "status" });
    const client = kafka([address(served)], "once", { retry: { retries: 0 } });
    const isLed = async (): Promise<boolean> => (await leaderOf(client, "t", 0).catch(() => -1)) === 0;
    await until(async () => (await isReady(healthPort)) && (await isLed()), WAIT_MS);
    await api.delete(resource, { namespace: "default", name: "t" });
    await until(async () => !(await isLed()), WAIT_MS);
  });
});

/** Settings of a broker in memory that is no part of a cluster. */
const alone = (healthPort: number): Parameters<typeof serveWithProbes>[0] => ({
  config: new BrokerConfig({ listeners: "PLAINTEXT://127.0.0.1:0" }),
  directories: [],
  log: silentLog,
  logLevel: "info",
  isTerminal: false,
  version: "0",
  health: { host: "127.0.0.1", port: healthPort },
});

describe("a control plane that cannot be", () => {
  test("keeps the broker from starting, and nothing is left behind", async () => {
    const { healthPort } = await broker(0);
    const startControl = controlInProcess(api);
    const probed = serveWithProbes(alone(healthPort), startControl);
    await expect(probed).rejects.toThrow(KaasError);
    await expect(probed).rejects.toMatchObject({ code: "KAAS_LISTENER_FAILED" });
  });
});

test("a broker that is alone answers probes and scrapes as well", async () => {
  const healthPort = await freePort();
  const served = await serveWithProbes(alone(healthPort), controlInProcess(api));
  serving.push(served);
  await until(() => isReady(healthPort), WAIT_MS);
  const producer = await connectedProducer(kafka([address(served)]));
  await producer.disconnect();
  expect((await get(healthPort, "/metrics")).body).toContain('kaas_requests_total{api="ApiVersions"} 1');
  expect(await get(healthPort, "/other")).toMatchObject({ status: 404 });
  expect((await fetch(`http://127.0.0.1:${healthPort}/healthz`, { method: "POST" })).status).toBe(405);
});
