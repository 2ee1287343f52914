import { describe, expect, test } from "vitest";
import { ControlledCluster, ORDERS } from "../../../test/fakes/controlled-cluster.js";
import { FakeAssignmentStore } from "../../../test/fakes/fake-assignment-store.js";
import { ManualClock } from "../../../test/fakes/manual-clock.js";

/** Time in which brokers have no answer of their volume. The first is the controller's. */
async function silence(cluster: ControlledCluster, nodeIds: readonly number[], ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    for (const nodeId of nodeIds) cluster.broker(nodeId).storageSilentMs += 500;
    await cluster.pass(500);
  }
}

async function answers(cluster: ControlledCluster, ms: number): Promise<void> {
  for (const broker of cluster.brokers) broker.storageSilentMs = 0;
  await cluster.pass(ms);
}

const stateOf = (cluster: ControlledCluster, nodeId: number) => cluster.controller.status.brokers[nodeId]?.state;

/** Three brokers, the controller of which has had answers for a while. */
async function settled(): Promise<ControlledCluster> {
  const cluster = await ControlledCluster.settled();
  await answers(cluster, 10_000);
  return cluster;
}

describe("a broker whose volume does not answer", () => {
  test("is relieved after ten seconds, and what the others lead stays where it is", async () => {
    const cluster = await settled();
    const [before = []] = cluster.leaders;
    const { length } = cluster.store.published;
    await silence(cluster, [2], 9_500);
    expect(cluster.store.published).toHaveLength(length);
    await silence(cluster, [2], 1_500);
    expect(cluster.counts).toEqual([3, 3, 0]);
    const [after = []] = cluster.leaders;
    for (const [partition, leader] of before.entries()) if (leader !== 2) expect(after[partition]).toBe(leader);
    expect(cluster.newest.slots.groups).not.toContain(2);
    expect(cluster.newest.slots.transactions).not.toContain(2);
    // Whoever takes over from it does not wait for it.
    expect(cluster.newest.brokers[2]).toMatchObject({ isFenced: true, isAlive: false, isStalled: true });
    expect(cluster.newest.brokers[1]).not.toHaveProperty("isStalled");
    expect(stateOf(cluster, 2)).toBe("stalled");
    // All of it at once.
    expect(`${cluster.store.published[length]?.topics[0]?.leaders}`).toBe(`${after}`);
  });

  test("is no reason for anything if it answers in time", async () => {
    const cluster = await settled();
    const { length } = cluster.store.published;
    for (let times = 0; times < 5; times++) {
      await silence(cluster, [1, 2], 9_000);
      await answers(cluster, 1_000);
    }
    expect(cluster.store.published).toHaveLength(length);
  });

  test("gets nothing new while it is relieved", async () => {
    const cluster = await settled();
    await silence(cluster, [2], 12_000);
    cluster.controller.setTopics([{ ...ORDERS, partitionCount: 9 }]);
    await silence(cluster, [2], 2_000);
    expect(cluster.counts[2]).toBe(0);
    expect(cluster.leaderless).toBe(0);
  });

  test("leads again once it has had answers for ten seconds", async () => {
    const cluster = await settled();
    await silence(cluster, [2], 12_000);
    await answers(cluster, 9_000);
    expect(cluster.counts).toEqual([3, 3, 0]);
    await answers(cluster, 4_000);
    expect(cluster.counts).toEqual([2, 2, 2]);
  });

  test("waits also as another process, which its fuse makes of it", async () => {
    const cluster = await settled();
    await silence(cluster, [2], 12_000);
    cluster.broker(2).restart("second-2");
    await answers(cluster, 8_000);
    expect(stateOf(cluster, 2)).toBe("stalled");
    expect(cluster.counts).toEqual([3, 3, 0]);
    await answers(cluster, 5_000);
    expect(cluster.counts).toEqual([2, 2, 2]);
  });

  test("waits anew when it falls silent again, and twice as long when it was relieved again", async () => {
    const cluster = await settled();
    await silence(cluster, [2], 12_000);
    await answers(cluster, 6_000);
    await silence(cluster, [2], 4_000);
    await answers(cluster, 8_000);
    expect(cluster.counts).toEqual([3, 3, 0]);
    await answers(cluster, 5_000);
    expect(cluster.counts).toEqual([2, 2, 2]);
    await silence(cluster, [2], 12_000);
    await answers(cluster, 18_000);
    expect(cluster.counts).toEqual([3, 3, 0]);
    await answers(cluster, 6_000);
    expect(cluster.counts).toEqual([2, 2, 2]);
  });

  test("is relieved together with one that fell silent along with it, not in favour of that one", async () => {
    const cluster = await settled();
    await silence(cluster, [1], 1_000);
    const { length } = cluster.store.published;
    await silence(cluster, [1, 2], 9_500);
    expect(cluster.counts).toEqual([6, 0, 0]);
    expect(cluster.store.published[length]?.topics[0]?.leaders).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test("leads at once if nobody else can", async () => {
    const cluster = await settled();
    cluster.broker(1).isRunning = false;
    await cluster.pass(5_000);
    await silence(cluster, [2], 12_000);
    expect(cluster.counts).toEqual([6, 0, 0]);
    cluster.broker(0).isDraining = true;
    await answers(cluster, 4_000);
    expect(cluster.counts).toEqual([0, 0, 6]);
  });

  test("keeps what it leads if nobody else can lead", async () => {
    const cluster = await settled();
    cluster.broker(0).isDraining = true;
    cluster.broker(1).isDraining = true;
    await answers(cluster, 6_000);
    expect(cluster.counts).toEqual([0, 0, 6]);
    await silence(cluster, [2], 30_000);
    expect(cluster.counts).toEqual([0, 0, 6]);
    expect(cluster.newest.brokers[2]).toMatchObject({ isFenced: false, isAlive: true, isStalled: true });
    await answers(cluster, 2_000);
    expect(cluster.newest.brokers[2]).not.toHaveProperty("isStalled");
  });

  test("and whose data plane hangs for it is given the same time", async () => {
    const cluster = await settled();
    await silence(cluster, [2], 4_000);
    cluster.broker(2).isHealthy = false;
    await silence(cluster, [2], 1_000);
    expect(stateOf(cluster, 2)).toBe("stalled");
    await answers(cluster, 500);
    // It says now that it hangs for another reason.
    await answers(cluster, 1_000);
    expect(stateOf(cluster, 2)).toBe("unhealthy");
  });
});

describe("a volume that answers nobody", () => {
  test("moves nothing, however long, nor when it comes back to one after the other", async () => {
    const cluster = await settled();
    const before = cluster.leaders;
    await silence(cluster, [0, 1, 2], 40_000);
    cluster.broker(0).storageSilentMs = 0;
    // As long again as it was away, twice.
    await silence(cluster, [1, 2], 70_000);
    cluster.broker(1).storageSilentMs = 0;
    await silence(cluster, [2], 5_000);
    await answers(cluster, 60_000);
    expect(cluster.leaders).toEqual(before);
    const published = new Set(cluster.store.published.map(({ topics }) => `${topics[0]?.leaders}`));
    expect(published).toEqual(new Set([`${before[0]}`]));
  });

  test("is told from a way that is broken in the end", async () => {
    const cluster = await settled();
    await silence(cluster, [0, 1, 2], 20_000);
    cluster.broker(0).storageSilentMs = 0;
    cluster.broker(1).storageSilentMs = 0;
    await silence(cluster, [2], 39_000);
    expect(cluster.counts).toEqual([2, 2, 2]);
    await silence(cluster, [2], 3_000);
    expect(cluster.counts).toEqual([3, 3, 0]);
  });

  test("gives brokers nothing new of which it is not known whether it answers them", async () => {
    const cluster = await settled();
    await silence(cluster, [0, 1, 2], 12_000);
    cluster.broker(0).storageSilentMs = 0;
    cluster.broker(1).storageSilentMs = 0;
    cluster.controller.setTopics([{ ...ORDERS, partitionCount: 12 }]);
    await silence(cluster, [2], 3_000);
    expect(cluster.counts).toEqual([5, 5, 2]);
  });

  test("is decided about by nobody: what is due is done when it answers the controller again", async () => {
    const cluster = await settled();
    await silence(cluster, [0, 1, 2], 4_000);
    const { length } = cluster.store.published;
    cluster.broker(1).isRunning = false;
    await silence(cluster, [0, 2], 5_000);
    expect(cluster.store.published).toHaveLength(length);
    await answers(cluster, 1_000);
    expect(cluster.counts).toEqual([3, 0, 3]);
  });
});

test("a new controller that has had answers all the while relieves at once a broker that had none", async () => {
  const store = new FakeAssignmentStore();
  const clock = new ManualClock();
  const before = await ControlledCluster.settled({ store, clock });
  before.controller.resign();
  const cluster = new ControlledCluster({ brokerCount: 3, topics: [ORDERS], store, clock, controllerId: 1 });
  cluster.broker(0).storageSilentMs = 12_000;
  await cluster.pass(10_000);
  cluster.controller.lead(1);
  expect(await cluster.waitFor(() => cluster.counts[0] === 0)).toBeLessThan(1_500);
  expect(cluster.counts).toEqual([0, 3, 3]);
});

test("a controller knows whether another broker has answers", async () => {
  const cluster = await settled();
  expect(cluster.controller.isOutdone).toBe(true);
  await silence(cluster, [1, 2], 4_000);
  expect(cluster.controller.isOutdone).toBe(false);
  cluster.broker(1).storageSilentMs = 0;
  await cluster.pass(500);
  expect(cluster.controller.isOutdone).toBe(true);
  cluster.controller.resign();
  expect(cluster.controller.isOutdone).toBe(false);
});

test("a controller that has only just started judges nobody", async () => {
  const store = new FakeAssignmentStore();
  const clock = new ManualClock();
  const before = await ControlledCluster.settled({ store, clock });
  before.controller.resign();
  const cluster = new ControlledCluster({ brokerCount: 3, topics: [ORDERS], store, clock, controllerId: 1 });
  cluster.broker(0).storageSilentMs = 12_000;
  cluster.controller.lead(1);
  await cluster.pass(9_000);
  expect(cluster.counts).toEqual([2, 2, 2]);
  await cluster.pass(2_000);
  expect(cluster.counts).toEqual([0, 3, 3]);
});
