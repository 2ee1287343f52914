import { KAFKA_TOPICS } from "@kaas/k8s";
import { MemoryFileSystem } from "@kaas/storage";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeKubernetesApi } from "../../../../packages/kaas-k8s/src/testing/fake-kubernetes-api.js";
import { settle, TestClock } from "../../../../packages/kaas-k8s/src/testing/test-clock.js";
import { MemoryNetwork } from "./memory-network.js";
import { CLUSTER_DIRECTORY, TestBroker } from "./test-broker.js";

let clock: TestClock;
let api: FakeKubernetesApi;
let network: MemoryNetwork;
let brokers: TestBroker[];

beforeEach(async () => {
  clock = new TestClock();
  api = new FakeKubernetesApi({ clock });
  network = new MemoryNetwork();
  const fileSystem = new MemoryFileSystem();
  await fileSystem.makeDirectory("/data");
  await fileSystem.makeDirectory(CLUSTER_DIRECTORY);
  brokers = [];
  for (const nodeId of [0, 1, 2]) {
    brokers.push(await TestBroker.start(nodeId, { api, network, fileSystem, clock }));
  }
  await passes(10_000);
  expect(counts()).toEqual([2, 2, 2]);
});

afterEach(async () => {
  const stopped = Promise.all(brokers.filter(({ isRunning }) => isRunning).map(({ control }) => control.stop()));
  await passes(5_000);
  await stopped;
});

/** Time passes, and what is on its way arrives. */
async function passes(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    await clock.run(50);
    await settle();
  }
}

function controller(): TestBroker {
  const found = brokers.filter(({ isController }) => isController);
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} controllers`);
  return found[0];
}

const newest = () =>
  brokers
    .filter(({ isRunning }) => isRunning)
    .map(({ assignment }) => assignment)
    .reduce((one, other) => ((other?.controllerEpoch ?? -1) >= (one?.controllerEpoch ?? -1) ? other : one));

/** How many partitions each leads, as the newest assignment has it that anybody who lives has adopted. */
function counts(): number[] {
  const leaders = newest()?.topics[0]?.leaders ?? [];
  return brokers.map(({ nodeId }) => leaders.filter((leader) => leader === nodeId).length);
}

/** Until no other broker that runs knows a partition that the one that is gone should lead. */
async function takenOverMs(gone: TestBroker): Promise<number> {
  const isTaken = (): boolean =>
    brokers
      .filter((broker) => broker.isRunning && broker !== gone)
      .every(({ assignment }) => assignment?.topics[0]?.leaders.includes(gone.nodeId) === false);
  const beganAt = clock.monotonic();
  while (!isTaken()) {
    await passes(50);
    if (clock.monotonic() - beganAt > 20_000) throw new Error("nobody took over");
  }
  return clock.monotonic() - beganAt;
}

describe("a broker that is killed", () => {
  // The Lease is renewed each 400 ms: wherever in between the kill comes.
  test.each([0, 100, 200, 300, 350])(
    "is taken over from in less than 2.5 s if it is the controller, %i ms later",
    async (ms) => {
      await passes(ms);
      const gone = controller();
      gone.kill();
      const tookMs = await takenOverMs(gone);
      expect(tookMs).toBeGreaterThan(1_500);
      expect(tookMs).toBeLessThan(2_500);
      expect(controller()).not.toBe(gone);
      expect([...counts()].sort()).toEqual([0, 3, 3]);
    },
  );

  test("is taken over from in a second if it is another one", async () => {
    const gone = brokers.find(({ isController }) => !isController) as TestBroker;
    gone.kill();
    expect(await takenOverMs(gone)).toBeLessThan(1_000);
  });
});

describe("a controller that lives", () => {
  test("keeps the Lease and what it leads while its connections to all others are reset for a second", async () => {
    const before = {
      controller: controller(),
      epoch: newest()?.controllerEpoch,
      leaders: newest()?.topics[0]?.leaders,
    };
    const [one, other] = brokers.filter((broker) => broker !== before.controller) as [TestBroker, TestBroker];
    for (const { address } of [one, other]) network.cut(before.controller.address, address);
    await passes(400);
    network.mend();
    await passes(10_000);
    expect(controller()).toBe(before.controller);
    expect(newest()).toMatchObject({ controllerEpoch: before.epoch, topics: [{ leaders: before.leaders }] });
  });

  test("keeps the Lease while connections to it are broken for good: only it may say that it has ended", async () => {
    const before = controller();
    const other = brokers.find((broker) => broker !== before) as TestBroker;
    network.cut(before.address, other.address);
    await passes(30_000);
    expect(controller()).toBe(before);
    expect(counts()[other.nodeId]).toBe(0);
    network.mend();
    await passes(10_000);
    expect(counts()).toEqual([2, 2, 2]);
  });

  test("and stood still is waited for longer than one that was killed, then is a broker like others", async () => {
    const stood = controller();
    stood.stand();
    const tookMs = await takenOverMs(stood);
    expect(tookMs).toBeGreaterThan(3_000);
    expect(tookMs).toBeLessThan(5_000);
    stood.resume();
    await passes(15_000);
    expect(counts()).toEqual([2, 2, 2]);
    expect(controller()).not.toBe(stood);
  });

  test("and loses the Lease to an API server that is away for it alone loses no partition", async () => {
    const before = newest()?.topics[0]?.leaders;
    await api.patch(
      { group: "coordination.k8s.io", version: "v1", kind: "Lease", plural: "leases", isNamespaced: true },
      { namespace: "events", name: "kaas-controller" },
      { type: "merge", object: { spec: { holderIdentity: "nobody/at-all" } } },
    );
    await passes(15_000);
    expect(newest()?.topics[0]?.leaders).toEqual(before);
    expect(newest()?.controllerEpoch).toBeGreaterThan(1);
  });
});

test("after an API server was away, every broker watches topics again within three seconds, and leaders stay", async () => {
  const before = newest()?.topics[0]?.leaders;
  api.setReachable(false);
  await passes(120_000);
  api.setReachable(true);
  const beganAt = clock.monotonic();
  await api.create(KAFKA_TOPICS, {
    apiVersion: "kaas.rs/v1alpha1",
    kind: "KafkaTopic",
    metadata: { name: "new", namespace: "events" },
    spec: { partitions: 1 },
  });
  while (!brokers.every(({ topicsTold }) => topicsTold.includes("new"))) {
    await passes(50);
    expect(clock.monotonic() - beganAt).toBeLessThan(3_000);
  }
  await passes(5_000);
  expect(newest()?.topics[0]?.leaders).toEqual(before);
});
