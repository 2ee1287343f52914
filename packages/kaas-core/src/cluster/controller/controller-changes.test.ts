import { describe, expect, test } from "vitest";
import { ControlledCluster, ORDERS } from "../../../test/fakes/controlled-cluster.js";
import { KaasError } from "../../errors/kaas-error.js";

describe("a controller that takes over", () => {
  async function successor(
    changes: { readonly dead?: readonly number[]; readonly gone?: string; readonly restarted?: readonly number[] } = {},
  ): Promise<ControlledCluster> {
    const first = await ControlledCluster.settled();
    first.controller.resign();
    const { store, clock } = first;
    const next = new ControlledCluster({ brokerCount: 3, topics: [ORDERS], store, clock, controllerId: 1 });
    for (const nodeId of changes.dead ?? []) next.broker(nodeId).isRunning = false;
    for (const nodeId of changes.restarted ?? []) {
      next.broker(nodeId).restart(`second-${nodeId}`);
      next.successors.set(`kaas-${nodeId}`, `second-${nodeId}`);
    }
    next.controller.lead(5);
    if (changes.gone !== undefined) next.controller.gone(0, changes.gone);
    return next;
  }

  test("goes on where the one before was, and moves nothing", async () => {
    const next = await successor();
    const before = next.leaders;
    const { slots } = next.newest;
    await next.pass(300);
    expect(next.newest).toMatchObject({ controllerEpoch: 5, controllerId: 1, slots });
    await next.pass(10_000);
    expect(next.leaders).toEqual(before);
    expect(next.newest.slots).toEqual(slots);
    expect(next.controller.status.state).toBe("active");
  });

  test("waits for those it knows, each as long as a broker may be silent", async () => {
    const next = await successor({ dead: [2] });
    await next.pass(2_500);
    expect(next.counts).toEqual([2, 2, 2]);
    expect(next.newest.brokers[2]).toMatchObject({ isFenced: false, isAlive: true });
    expect(await next.waitFor(() => next.counts[2] === 0)).toBeLessThanOrEqual(1_000);
  });

  test("does not wait as long for the controller that was before it", async () => {
    const next = await successor({ dead: [0] });
    expect(await next.waitFor(() => next.counts[0] === 0)).toBeLessThanOrEqual(1_800);
  });

  test("does not wait at all for one that it knows to have ended", async () => {
    const next = await successor({ dead: [0], gone: "first-0" });
    expect(await next.waitFor(() => next.counts[0] === 0)).toBeLessThanOrEqual(300);
    expect(next.newest.brokers[0]).toMatchObject({ isFenced: true, isAlive: false });
    expect(next.counts).toEqual([0, 3, 3]);
  });

  test.each([
    ["said to have ended", "first-0"],
    ["silent", undefined],
  ])("takes nothing from one that is %s, but has started again and is heard late", async (_what, gone) => {
    const next = await successor({ dead: [0], restarted: [0], ...(gone === undefined ? {} : { gone }) });
    const before = next.leaders;
    await next.pass(2_500);
    next.broker(0).isRunning = true;
    await next.pass(10_000);
    expect(next.leaders).toEqual(before);
    expect(next.newest.brokers[0]).toMatchObject({ incarnation: "second-0", isFenced: false, isAlive: true });
    expect(new Set(next.store.published.map(({ topics }) => JSON.stringify(topics[0]?.leaders))).size).toBe(1);
  });

  test("waits once, and no longer, for one that has started again and is not heard at all", async () => {
    const next = await successor({ dead: [0], restarted: [0], gone: "first-0" });
    const tookMs = await next.waitFor(() => next.counts[0] === 0);
    expect(tookMs).toBeGreaterThanOrEqual(3_000);
    expect(tookMs).toBeLessThanOrEqual(3_500);
  });

  test("waits for the others all the same, and moves nothing before", async () => {
    const next = await successor({ dead: [0, 2], gone: "first-0" });
    await next.pass(2_500);
    expect(next.counts).toEqual([2, 2, 2]);
    expect(await next.waitFor(() => next.counts[1] === 6)).toBeLessThanOrEqual(1_000);
  });

  test("takes nothing from one that was said to have ended and is heard, nor from another process of its name", async () => {
    const heard = await successor({ gone: "first-0" });
    const before = heard.leaders;
    await heard.pass(10_000);
    expect(heard.leaders).toEqual(before);
    const other = await successor({ dead: [0], gone: "an earlier process" });
    await other.pass(1_000);
    expect(other.counts).toEqual([2, 2, 2]);
  });

  test("tries again when the volume fails, and claims one epoch only", async () => {
    const cluster = new ControlledCluster({ brokerCount: 1, topics: [ORDERS] });
    cluster.store.failures.push(new Error("EIO"));
    cluster.controller.lead(3);
    await cluster.pass(5_200);
    expect(cluster.store.epoch).toBe(3);
    cluster.store.failures.push(new KaasError("KAAS_STORAGE_FAILED", "the disk is away"));
    await cluster.pass(6_000);
    expect(cluster.counts).toEqual([6]);
    expect(cluster.store.epoch).toBe(3);
    expect(cluster.newest.version).toBeGreaterThan(1);
  });

  test("ends when another one has taken a higher epoch, and says so", async () => {
    const cluster = await ControlledCluster.settled();
    await cluster.store.claimEpoch(9);
    cluster.broker(2).isHealthy = false;
    await cluster.pass(1_000);
    expect(cluster.timesFenced).toBe(1);
    expect(cluster.controller.status.state).toBe("idle");
    expect(cluster.newest.controllerEpoch).toBe(0);
  });

  test("publishes nothing more once the lease is lost, even what was on its way to the disk", async () => {
    const cluster = await ControlledCluster.settled();
    let release = (): void => undefined;
    cluster.store.before = new Promise((resolve) => {
      release = resolve;
    });
    const { length } = cluster.pushed;
    cluster.broker(2).isHealthy = false;
    await cluster.pass(1_000);
    cluster.controller.resign();
    release();
    await cluster.pass(1_000);
    expect(cluster.pushed).toHaveLength(length);
    expect(cluster.broker(0).answer?.verdict).toBe("not-controller");
  });
});

describe("a controller that was stopped", () => {
  test("declares nobody lost for what it could not hear", async () => {
    const cluster = await ControlledCluster.settled();
    const before = cluster.leaders;
    // Timers come before what is in the sockets.
    for (let pause = 0; pause < 5; pause++) {
      cluster.clock.jump(60_000);
      await cluster.pass(700);
      cluster.reportAll();
    }
    expect(cluster.leaders).toEqual(before);
    expect(cluster.controller.status.brokers.map(({ state }) => state)).toEqual(["leading", "leading", "leading"]);
  });

  test("still notices who is gone", async () => {
    const cluster = await ControlledCluster.settled();
    cluster.broker(2).isRunning = false;
    await cluster.pass(1_000);
    cluster.clock.jump(60_000);
    await cluster.pass(2_500);
    expect(cluster.counts).toEqual([2, 2, 2]);
    await cluster.pass(1_000);
    expect(cluster.counts).toEqual([3, 3, 0]);
  });
});
