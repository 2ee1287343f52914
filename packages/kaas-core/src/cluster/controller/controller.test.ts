import { describe, expect, test } from "vitest";
import { ControlledCluster, ORDERS } from "../../../test/fakes/controlled-cluster.js";
import { ErrorCode } from "../../errors/error-codes.js";

const RATES = { topicId: "AAAAAAAAAAAAAAAAAAAAAg", name: "rates", partitionCount: 3 };

describe("a new cluster", () => {
  test("waits a moment for all its brokers, then shares everything out once", async () => {
    const cluster = await ControlledCluster.settled();
    expect(cluster.counts).toEqual([2, 2, 2]);
    expect(cluster.newest).toMatchObject({ controllerEpoch: 0, controllerId: 0, slots: { groups: [0, 1, 2, 0] } });
    expect(cluster.newest.brokers.map(({ nodeId, isFenced, isAlive }) => [nodeId, isFenced, isAlive])).toEqual([
      [0, false, true],
      [1, false, true],
      [2, false, true],
    ]);
    // Nobody lost anything on the way.
    for (const [partition, leader] of (cluster.leaders[0] ?? []).entries()) {
      const earlier = cluster.store.published.map(({ topics }) => topics[0]?.leaders[partition] ?? -1);
      expect(new Set(earlier.filter((one) => one !== -1))).toEqual(new Set([leader]));
    }
  });

  test("publishes the epochs that leaders have claimed, and then nothing for as long as nothing happens", async () => {
    const cluster = await ControlledCluster.settled();
    expect(cluster.newest.topics[0]?.leaderEpochs.every((epoch) => epoch > 0)).toBe(true);
    const { length } = cluster.store.published;
    await cluster.pass(60_000);
    expect(cluster.store.published).toHaveLength(length);
    expect(cluster.pushed).toEqual(cluster.store.published);
    expect(cluster.broker(1).answer).toEqual({ verdict: "ok", controllerEpoch: 0, version: cluster.newest.version });
  });

  test("decides nothing before it knows the topics, or without the lease", async () => {
    const cluster = new ControlledCluster({ brokerCount: 1, topics: [ORDERS] });
    await cluster.pass(5_000);
    expect(cluster.store.published).toEqual([]);
    expect(cluster.broker(0).answer?.verdict).toBe("not-controller");
    expect(cluster.controller.status.state).toBe("idle");
  });
});

describe("topics", () => {
  test("that come, grow and go are in the next assignment, and nobody else's partitions move", async () => {
    const cluster = await ControlledCluster.settled();
    const before = cluster.leaders[0];
    cluster.controller.setTopics([ORDERS, RATES]);
    expect(await cluster.waitFor(() => cluster.newest.topics.length === 2)).toBeLessThanOrEqual(200);
    expect(cluster.leaders[0]).toEqual(before);
    expect(cluster.counts).toEqual([3, 3, 3]);
    cluster.controller.setTopics([{ ...ORDERS, partitionCount: 7 }, RATES]);
    await cluster.pass(200);
    expect(cluster.leaders[0]?.slice(0, 6)).toEqual(before);
    expect(cluster.leaders[0]).toHaveLength(7);
    cluster.controller.setTopics([RATES]);
    await cluster.pass(200);
    expect(cluster.newest.topics.map(({ name }) => name)).toEqual(["rates"]);
  });
});

test("what is published of a broker's listeners is what readers know, whatever else it says of them", async () => {
  const cluster = await ControlledCluster.settled();
  const broker = cluster.broker(0);
  const report = broker.report.bind(broker);
  broker.report = () => {
    const said = report();
    const listeners = said.listeners.map((listener) => ({ ...listener, host: "elsewhere", boundHost: "0.0.0.0" }));
    return { ...said, listeners };
  };
  await cluster.pass(1_000);
  expect(cluster.newest.brokers[0]?.listeners).toEqual([{ listenerName: "PLAINTEXT", host: "elsewhere", port: 9092 }]);
});

describe("a broker that is lost", () => {
  test("is noticed within three seconds and a bit, and only what it led is given to others", async () => {
    const cluster = await ControlledCluster.settled();
    const [before = []] = cluster.leaders;
    cluster.broker(1).isRunning = false;
    const tookMs = await cluster.waitFor(() => cluster.counts[1] === 0);
    expect(tookMs).toBeGreaterThanOrEqual(2_500);
    expect(tookMs).toBeLessThanOrEqual(3_300);
    const [after = []] = cluster.leaders;
    for (const [partition, leader] of before.entries()) if (leader !== 1) expect(after[partition]).toBe(leader);
    expect(cluster.newest.slots.groups).not.toContain(1);
    expect(cluster.newest.brokers[1]).toMatchObject({ isFenced: true, isAlive: false });
  });

  test("gets its share again when it comes back, all at once with others that come then", async () => {
    const cluster = await ControlledCluster.settled();
    cluster.broker(1).isRunning = false;
    cluster.broker(2).isRunning = false;
    await cluster.pass(8_000);
    expect(cluster.counts).toEqual([6, 0, 0]);
    cluster.broker(1).isRunning = true;
    cluster.broker(1).restart("second-1");
    await cluster.pass(1_000);
    cluster.broker(2).isRunning = true;
    cluster.broker(2).restart("second-2");
    await cluster.pass(1_000);
    expect(cluster.counts).toEqual([6, 0, 0]);
    await cluster.pass(2_000);
    expect(cluster.counts).toEqual([2, 2, 2]);
    const seen = new Set(cluster.store.published.map(({ topics }) => JSON.stringify(topics[0]?.leaders)));
    expect(seen.size).toBeLessThanOrEqual(4);
  });

  test("keeps what it leads if it is back in time", async () => {
    const cluster = await ControlledCluster.settled();
    const [before] = cluster.leaders;
    cluster.broker(1).restart("second-1");
    await cluster.pass(2_000);
    expect(cluster.leaders[0]).toEqual(before);
    expect(cluster.newest.brokers[1]).toMatchObject({ incarnation: "second-1", isFenced: false });
  });

  test("is waited for once more where it has started again, for it has yet to find the controller", async () => {
    const cluster = await ControlledCluster.settled();
    const [before] = cluster.leaders;
    const { incarnation } = cluster.broker(1);
    cluster.broker(1).isRunning = false;
    cluster.broker(1).restart("second-1");
    cluster.successors.set("kaas-1", "second-1");
    cluster.controller.gone(1, incarnation);
    await cluster.pass(2_500);
    cluster.controller.gone(1, incarnation);
    await cluster.pass(300);
    expect(cluster.leaders[0]).toEqual(before);
    expect(await cluster.waitFor(() => cluster.counts[1] === 0)).toBeLessThanOrEqual(500);
  });

  test("keeps what it leads if its next process, by a clock that went back, was started before it", async () => {
    const cluster = await ControlledCluster.settled();
    const [before] = cluster.leaders;
    const { incarnation, startedMs } = cluster.broker(1);
    cluster.broker(1).restart("second-1");
    cluster.broker(1).startedMs = startedMs - 60_000;
    cluster.successors.set("kaas-1", "second-1");
    cluster.controller.gone(1, incarnation);
    await cluster.pass(10_000);
    expect(cluster.broker(1).answer?.verdict).toBe("ok");
    expect(cluster.newest.brokers[1]).toMatchObject({ incarnation: "second-1", isAlive: true });
    expect(cluster.leaders[0]).toEqual(before);
    expect(
      new Set(cluster.store.published.map(({ topics }) => JSON.stringify(topics[0]?.leaders)).slice(-3)).size,
    ).toBe(1);
  });

  test("is lost where nobody can find out whether it has started again", async () => {
    const cluster = await ControlledCluster.settled();
    cluster.successors.get = () => {
      throw new Error("EIO");
    };
    cluster.broker(1).isRunning = false;
    expect(await cluster.waitFor(() => cluster.counts[1] === 0)).toBeLessThanOrEqual(3_300);
  });

  test("leaves everything to the controller, if it is the only one left", async () => {
    const cluster = await ControlledCluster.settled();
    cluster.broker(1).isRunning = false;
    cluster.broker(2).isRunning = false;
    // That all others are silent may be this controller's fault: they get twice the time.
    await cluster.pass(4_500);
    expect(cluster.counts).toEqual([2, 2, 2]);
    await cluster.pass(2_500);
    expect(cluster.counts).toEqual([6, 0, 0]);
  });

  test("is also one whose data plane does not work, though it is heard", async () => {
    const cluster = await ControlledCluster.settled();
    cluster.broker(2).isHealthy = false;
    await cluster.pass(700);
    expect(cluster.counts).toEqual([3, 3, 0]);
    expect(cluster.newest.brokers[2]).toMatchObject({ isFenced: true, isAlive: false });
    expect(cluster.controller.status.brokers[2]?.state).toBe("unhealthy");
    cluster.broker(2).isHealthy = true;
    await cluster.pass(4_000);
    expect(cluster.counts).toEqual([2, 2, 2]);
  });
});

describe("a broker that drains", () => {
  test("loses all it leads a few at a time, lives meanwhile, and gets nothing new", async () => {
    const many = { ...ORDERS, partitionCount: 60 };
    const cluster = await ControlledCluster.settled({ topics: [many], timing: { movesMax: 4 } });
    expect(cluster.counts).toEqual([20, 20, 20]);
    const { length } = cluster.store.published;
    cluster.broker(1).isDraining = true;
    await cluster.waitFor(() => cluster.counts[1] === 0 && !cluster.newest.slots.transactions.includes(1));
    const steps = cluster.store.published.slice(length - 1);
    for (const [index, step] of steps.entries()) {
      const before = steps[index - 1]?.topics[0]?.leaders ?? step.topics[0]?.leaders ?? [];
      const moved = before.filter((leader, partition) => leader !== step.topics[0]?.leaders[partition]);
      expect(moved.length).toBeLessThanOrEqual(4);
      expect(step.brokers[1]?.isAlive).toBe(true);
    }
    await cluster.pass(300);
    expect(cluster.newest.brokers[1]).toMatchObject({ isFenced: true, isAlive: true });
    cluster.controller.setTopics([many, RATES]);
    await cluster.pass(2_000);
    expect(cluster.counts[1]).toBe(0);
  });

  test("is not waited for by others longer than a while, when new leaders do not open what they get", async () => {
    const cluster = await ControlledCluster.settled({
      topics: [{ ...ORDERS, partitionCount: 9 }],
      timing: { movesMax: 1 },
    });
    for (const other of [0, 2]) cluster.broker(other).isClaiming = false;
    cluster.broker(1).isDraining = true;
    await cluster.pass(10_000);
    expect(cluster.counts[1]).toBe(2);
    await cluster.pass(40_000);
    expect(cluster.counts[1]).toBe(0);
  });
});

describe("wishes", () => {
  const wish = (partition: number, brokers: readonly number[] | null) => ({
    topic: "orders",
    topicId: ORDERS.topicId,
    partition,
    brokers,
  });

  test("are granted, kept, and granted again when the broker comes back", async () => {
    const cluster = await ControlledCluster.settled();
    const results = cluster.controller.reassign([wish(0, [2, 1]), wish(9, [1]), wish(1, [7]), wish(2, null)]);
    expect(results.map(({ errorCode }) => errorCode)).toEqual([
      ErrorCode.NONE,
      ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
      ErrorCode.INVALID_REPLICA_ASSIGNMENT,
      ErrorCode.NO_REASSIGNMENT_IN_PROGRESS,
    ]);
    expect(cluster.controller.moves()).toMatchObject([{ topic: "orders", partition: 0, from: 0, to: 2 }]);
    await cluster.pass(2_000);
    expect(cluster.leaders[0]?.[0]).toBe(2);
    expect(cluster.counts).toEqual([2, 2, 2]);
    expect(cluster.newest.topics[0]?.wishes).toEqual([{ partition: 0, brokers: [2, 1] }]);
    expect(cluster.controller.moves()).toEqual([]);
    cluster.broker(2).isRunning = false;
    await cluster.pass(4_000);
    expect(cluster.leaders[0]?.[0]).toBe(1);
    cluster.broker(2).isRunning = true;
    await cluster.pass(4_000);
    expect(cluster.leaders[0]?.[0]).toBe(2);
    expect(cluster.controller.reassign([wish(0, null)])[0]?.errorCode).toBe(ErrorCode.NONE);
    await cluster.pass(1_000);
    expect(cluster.newest.topics[0]?.wishes).toBeUndefined();
  });

  test("outlive the controller that took them", async () => {
    const cluster = await ControlledCluster.settled();
    cluster.controller.reassign([wish(0, [2])]);
    await cluster.pass(1_000);
    cluster.controller.resign();
    cluster.controller.lead(1);
    await cluster.pass(5_000);
    expect(cluster.newest).toMatchObject({
      controllerEpoch: 1,
      topics: [{ wishes: [{ partition: 0, brokers: [2] }] }],
    });
  });

  test("make elections answer what is under way", async () => {
    const cluster = await ControlledCluster.settled();
    const { controller } = cluster;
    const codes = (election: "preferred" | "unclean", partition = 0) =>
      controller.elect(election, [{ topic: "orders", topicId: ORDERS.topicId, partition }])[0]?.errorCode;
    expect(codes("preferred")).toBe(ErrorCode.ELECTION_NOT_NEEDED);
    expect(codes("unclean")).toBe(ErrorCode.ELECTION_NOT_NEEDED);
    expect(codes("preferred", 99)).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    controller.reassign([wish(0, [1])]);
    expect(codes("preferred")).toBe(ErrorCode.NONE);
    await cluster.pass(1_000);
    expect(codes("preferred")).toBe(ErrorCode.ELECTION_NOT_NEEDED);
    cluster.broker(1).isRunning = false;
    await cluster.pass(4_000);
    expect(codes("preferred")).toBe(ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE);
    cluster.broker(0).isHealthy = false;
    cluster.broker(2).isHealthy = false;
    await cluster.pass(1_000);
    expect(cluster.leaderless).toBe(6);
    expect(cluster.controller.status.leaderless).toBe(14);
    expect(codes("unclean")).toBe(ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE);
  });

  test("are refused by a broker that is no controller", () => {
    const { controller } = new ControlledCluster({ brokerCount: 1, topics: [ORDERS] });
    expect(controller.reassign([wish(0, [0])])[0]?.errorCode).toBe(ErrorCode.NOT_CONTROLLER);
    expect(controller.elect("preferred", [wish(0, null)])[0]?.errorCode).toBe(ErrorCode.NOT_CONTROLLER);
    expect(controller.moves()).toEqual([]);
  });
});

describe("two processes of one name", () => {
  test("of which the later counts, whoever is heard first", async () => {
    const cluster = await ControlledCluster.settled();
    const older = { ...cluster.broker(1).report(), isWhole: true };
    cluster.broker(1).restart("second-1");
    cluster.reportAll();
    expect(cluster.controller.hear(older).verdict).toBe("superseded");
    expect(cluster.controller.hear({ ...older, incarnation: "a", startedMs: 1 }).verdict).toBe("superseded");
    expect(cluster.controller.hear({ ...older, incarnation: "z", startedMs: 1 }).verdict).toBe("ok");
    expect(cluster.controller.hear({ ...older, name: "other", incarnation: "zz", startedMs: 9 }).verdict).toBe(
      "node-id-taken",
    );
    await cluster.pass(300);
    expect(cluster.newest.brokers[1]?.incarnation).toBe("z");
  });

  test("of which the older is heard again once the later is lost", async () => {
    const cluster = await ControlledCluster.settled();
    const older = cluster.broker(1).report();
    cluster.broker(1).restart("second-1");
    await cluster.pass(1_000);
    cluster.broker(1).isRunning = false;
    await cluster.pass(3_500);
    expect(cluster.controller.hear({ ...older, isWhole: true }).verdict).toBe("ok");
  });
});

test("a broker whose connection broke and did not come back is not waited for, unless it is heard again", async () => {
  const cluster = await ControlledCluster.settled();
  const leads = (nodeId: number): boolean =>
    cluster.newest.topics.some(({ leaders }) => leaders.some((leader) => leader === nodeId));
  const { incarnation } = cluster.broker(1);
  cluster.controller.gone(1, "another process");
  await cluster.pass(300);
  expect(leads(1)).toBe(true);
  cluster.broker(1).isRunning = false;
  cluster.controller.gone(1, incarnation);
  await cluster.pass(500);
  expect(leads(1)).toBe(false);
  expect(cluster.controller.status.brokers[1]?.state).toBe("lost");
  cluster.broker(1).isRunning = true;
  await cluster.pass(5_000);
  expect(leads(1)).toBe(true);
});
