import {
  type Assignment,
  type Clock,
  type ControllerApi,
  ErrorCode,
  type HeartbeatAnswer,
  type HeartbeatReport,
  type Log,
  silentLog,
} from "@kaas/core";
import { systemClock, systemRandom } from "@kaas/storage";
import { afterEach, describe, expect, test } from "vitest";
import { TestClock } from "../../../../packages/kaas-k8s/src/testing/test-clock.js";
import { RemoteWishes } from "../../src/control/remote-wishes.js";
import { HeartbeatSender } from "../../src/control/peers/heartbeat-sender.js";
import { grpcPeers, type Peer } from "../../src/control/peers/peer-client.js";
import { PeerServer, RETURN_MS } from "../../src/control/peers/peer-server.js";
import { PeerToken } from "../../src/control/peers/peer-token.js";

const token = new PeerToken("0123456789abcdef");

const assignment: Assignment = {
  controllerEpoch: 2,
  version: 3,
  controllerId: 0,
  createdMs: 1_700_000_000_000,
  brokers: [
    {
      nodeId: 0,
      name: "kaas-0",
      incarnation: "i",
      rack: null,
      listeners: [{ listenerName: "PLAINTEXT", host: "h", port: 1 }],
      isFenced: false,
      isAlive: true,
    },
  ],
  topics: [
    { topicId: "t", name: "t", leaders: [0, -1], leaderEpochs: [4, -1], wishes: [{ partition: 1, brokers: [1, 0] }] },
    { topicId: "u", name: "u", leaders: [], leaderEpochs: [] },
  ],
  slots: { groups: [0, -1], transactions: [0] },
};

const report: HeartbeatReport = {
  nodeId: 1,
  name: "kaas-1",
  incarnation: "j",
  startedMs: 1_700_000_000_001,
  rack: "r",
  listeners: [{ listenerName: "PLAINTEXT", host: "h", port: 2 }],
  isHealthy: true,
  isDraining: false,
  sequence: 7,
  isWhole: true,
  led: [{ topicId: "t", partition: 1, leaderEpoch: -1 }],
  slots: { groups: [3], transactions: [] },
};

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0).reverse()) close();
});

/** A controller that notes what it is told. */
function fakeController(verdict: HeartbeatAnswer["verdict"] = "ok") {
  const heard: HeartbeatReport[] = [];
  const gone: string[] = [];
  const asked: unknown[] = [];
  const controller = {
    assignment: verdict === "ok" ? assignment : undefined,
    status: { state: verdict === "ok" ? "active" : "idle" },
    hear(one: HeartbeatReport) {
      heard.push(one);
      return { verdict, controllerEpoch: 2, version: 3 };
    },
    gone: (_nodeId: number, incarnation: string) => void gone.push(incarnation),
    reassign(wishes: readonly unknown[]) {
      asked.push(...wishes);
      return wishes.map(() => ({ errorCode: ErrorCode.NONE, message: null }));
    },
    elect(election: string, partitions: readonly unknown[]) {
      asked.push(election, ...partitions);
      return partitions.map(() => ({ errorCode: ErrorCode.ELECTION_NOT_NEEDED, message: "no" }));
    },
    moves: () => [{ topic: "t", topicId: "t", partition: 0, from: -1, to: 1 }],
  } as unknown as ControllerApi;
  return { controller, heard, gone, asked };
}

async function serve(controller: ControllerApi, clock: Clock = systemClock): Promise<PeerServer> {
  const options = { host: "127.0.0.1", port: 0, token, controller, clock, log: silentLog };
  const server = await PeerServer.listen(options);
  open.push(() => server.close());
  return server;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

function connect(port: number, from: PeerToken = token) {
  const answers: HeartbeatAnswer[] = [];
  const assignments: Assignment[] = [];
  const ends: string[] = [];
  const peer: Peer = grpcPeers(from, systemClock)(`127.0.0.1:${port}`, {
    answered: (answer) => void answers.push(answer),
    assigned: (one) => void assignments.push(one),
    ended: (reason) => void ends.push(reason),
  });
  open.push(() => peer.close());
  return { peer, answers, assignments, ends };
}

describe("brokers among each other", () => {
  test("reports go up and answers and assignments come down, word for word", async () => {
    const { controller, heard } = fakeController();
    const server = await serve(controller);
    const { peer, answers, assignments } = connect(server.port);
    peer.report(report);
    await until(() => answers.length === 1 && assignments.length === 1);
    expect(heard).toEqual([report]);
    expect(answers).toEqual([{ verdict: "ok", controllerEpoch: 2, version: 3 }]);
    expect(assignments).toEqual([assignment]);
    const next = { ...assignment, version: 4 };
    server.publish(next);
    await until(() => assignments.length === 2);
    expect(assignments[1]).toEqual(next);
  });

  test("wishes are answered one by one", async () => {
    const { controller, asked } = fakeController();
    const { peer } = connect((await serve(controller)).port);
    const partition = { topic: "t", topicId: "i", partition: 1 };
    const wishes = new RemoteWishes(
      controller,
      () => false,
      () => peer,
    );
    const wanted = [
      { ...partition, brokers: [1, 2] },
      { ...partition, brokers: null },
    ];
    expect(await wishes.reassign(wanted, 5_000)).toEqual(wanted.map(() => ({ errorCode: 0, message: null })));
    expect(await wishes.elect("unclean", [partition], 5_000)).toEqual([{ errorCode: 84, message: "no" }]);
    expect(await wishes.moves(5_000)).toEqual([{ topic: "t", topicId: "t", partition: 0, from: -1, to: 1 }]);
    expect(asked).toEqual([...wanted, "unclean", partition]);
  });

  test("wishes that reach nobody are told so; those of the controller itself need no way", async () => {
    const { controller } = fakeController();
    const nobody = new RemoteWishes(
      controller,
      () => false,
      () => undefined,
    );
    const partition = { topic: "t", topicId: "i", partition: 1 };
    const refusal = { errorCode: ErrorCode.REQUEST_TIMED_OUT, message: expect.stringContaining("cannot be reached") };
    expect(await nobody.reassign([{ ...partition, brokers: null }], 10)).toEqual([refusal]);
    expect(await nobody.elect("preferred", [partition], 10)).toEqual([refusal]);
    expect(await nobody.moves(10)).toEqual(refusal);
    const own = new RemoteWishes(
      controller,
      () => true,
      () => undefined,
    );
    expect(await own.moves(10)).toHaveLength(1);
    expect(await own.elect("preferred", [partition], 10)).toHaveLength(1);
    expect(await own.reassign([{ ...partition, brokers: null }], 10)).toHaveLength(1);
  });

  test("who does not know the token is told nothing", async () => {
    const { controller, heard } = fakeController();
    const { peer, ends } = connect((await serve(controller)).port, new PeerToken("another secret, of as many"));
    peer.report(report);
    await until(() => ends.length === 1);
    expect(ends[0]).toContain("UNAUTHENTICATED");
    await expect(peer.moves(5_000)).rejects.toThrow();
    expect(heard).toEqual([]);
    expect(() => new PeerToken("short")).toThrow(RangeError);
    expect(token.admits(undefined)).toBe(false);
  });

  test("while the token is replaced, the old one and the new one are taken, and the first is shown", () => {
    const [before, after] = ["the token of yesterday", "the token of tomorrow"].map((text) => new PeerToken(text));
    const both = new PeerToken("the token of yesterday\nthe token of tomorrow\n");
    expect(both.header).toBe(before?.header);
    expect([before, after].map((one) => both.admits(one?.header))).toEqual([true, true]);
    expect(after?.admits(before?.header)).toBe(false);
    expect(both.admits(token.header)).toBe(false);
    expect(() => new PeerToken("the token of yesterday\nshort")).toThrow(RangeError);
  });

  /** Connections of two brokers, `j` and `k`, both of which have been answered. */
  async function connectTwo(port: number) {
    const [first, other] = [connect(port), connect(port)];
    first.peer.report(report);
    other.peer.report({ ...report, incarnation: "k" });
    await until(() => first.answers.length === 1 && other.answers.length === 1);
    return { first, other };
  }

  test("one whose connection breaks and does not come back is gone; one that comes back is not", async () => {
    const { controller, gone } = fakeController();
    const clock = new TestClock();
    const server = await serve(controller, clock);
    const { first, other } = await connectTwo(server.port);
    first.peer.close();
    other.peer.close();
    await until(() => clock.pending === 2);
    const again = connect(server.port);
    again.peer.report({ ...report, incarnation: "k" });
    await until(() => again.answers.length === 1);
    await clock.run(RETURN_MS);
    expect(gone).toEqual(["j"]);
  });

  test("one that hangs up lives, however long it stays away; what it says with that is no report", async () => {
    const { controller, heard, gone } = fakeController();
    const clock = new TestClock();
    const server = await serve(controller, clock);
    const { first, other } = await connectTwo(server.port);
    first.peer.hangUp();
    other.peer.close();
    await until(() => clock.pending > 0);
    // When one that goes after it is noticed, it would have been.
    const last = connect(server.port);
    last.peer.report({ ...report, incarnation: "l" });
    await until(() => last.answers.length === 1);
    last.peer.close();
    await until(() => clock.pending > 1);
    await clock.run(RETURN_MS);
    expect(gone.sort()).toEqual(["k", "l"]);
    expect(heard).toHaveLength(3);
    expect(first.ends).toEqual([]);
  });

  test("one that hangs up because this is no controller any more is not gone", async () => {
    const { controller, gone } = fakeController();
    let state = "active";
    let looks = 0;
    Object.defineProperty(controller, "status", { get: () => ({ state, looks: ++looks }) });
    const clock = new TestClock();
    const server = await serve(controller, clock);
    const { first, other } = await connectTwo(server.port);
    state = "idle";
    looks = 0;
    first.peer.close();
    await until(() => looks > 0);
    state = "active";
    other.peer.close();
    await until(() => clock.pending > 0);
    await clock.run(RETURN_MS);
    expect(gone).toEqual(["k"]);
  });

  test("a port that is taken is told by its number", async () => {
    const { controller } = fakeController();
    const { port } = await serve(controller);
    const options = { host: "127.0.0.1", port, token, controller, clock: systemClock, log: silentLog };
    await expect(PeerServer.listen(options)).rejects.toMatchObject({ code: "KAAS_LISTENER_FAILED" });
  });
});

describe("whoever reports", () => {
  interface Surroundings {
    readonly log?: Log;
    readonly clock?: Clock;
    readonly token?: PeerToken;
  }

  function sender(
    target: () => Promise<{ address: string | undefined; key: string } | undefined>,
    { log = silentLog, clock = systemClock, token: shown = token }: Surroundings = {},
  ) {
    const own = fakeController();
    const reports: boolean[] = [];
    const adopted: Assignment[] = [];
    const one = new HeartbeatSender({
      clock,
      random: systemRandom,
      log,
      connect: grpcPeers(shown, systemClock),
      target,
      hear: (heard) => own.controller.hear(heard),
      nextReport: (anew) => {
        reports.push(anew);
        return { ...report, isWhole: anew };
      },
      assigned: (next) => void adopted.push(next),
    });
    open.push(() => one.stop());
    return { one, own, reports, adopted };
  }

  test("says everything to a controller that is new, finds another one, and hears itself where it is the controller", async () => {
    const first = fakeController();
    const second = fakeController("resync");
    const servers = [await serve(first.controller), await serve(second.controller)];
    let target: { address: string | undefined; key: string } | undefined;
    const { one, own, adopted } = sender(async () => target);
    one.start();
    target = { address: `127.0.0.1:${servers[0]?.port}`, key: "first" };
    one.retarget();
    await until(() => adopted.length === 1 && one.isHeard);
    expect(first.heard[0]?.isWhole).toBe(true);
    target = { address: `127.0.0.1:${servers[1]?.port}`, key: "second" };
    one.retarget();
    await until(() => second.heard.length >= 2);
    expect(second.heard.slice(0, 2).map(({ isWhole }) => isWhole)).toEqual([true, true]);
    target = { address: undefined, key: "self" };
    one.retarget();
    await until(() => own.heard.length > 0);
    expect(one.peer).toBeUndefined();
    expect(one.verdict).toBe("ok");
  });

  test.each(["superseded", "node-id-taken"] as const)("says once that it is %s", async (verdict) => {
    const { controller, heard } = fakeController(verdict);
    const server = await serve(controller);
    const told: unknown[] = [];
    const log: Log = { ...silentLog, error: (fields) => void told.push(fields) };
    const { one } = sender(async () => ({ address: `127.0.0.1:${server.port}`, key: "one" }), { log });
    one.start();
    await until(() => heard.length > 2);
    expect(told).toEqual([{ verdict }]);
  });

  test("complains of a controller that has not answered for long, and says when it does", async () => {
    const { controller } = fakeController();
    const server = await serve(controller);
    let offMs = 0;
    const clock: Clock = {
      now: () => systemClock.now(),
      monotonic: () => systemClock.monotonic() + offMs,
      schedule: (delayMs, callback) => systemClock.schedule(delayMs, callback),
    };
    const told: string[] = [];
    const say = (_fields: object, text: string): void => void told.push(text);
    // Time passes when a connection has been refused, so that none is given up for it.
    let refusedMs = 11_000;
    const debug = (fields: object): void => {
      if (JSON.stringify(fields).includes("UNAUTHENTICATED")) offMs = refusedMs;
    };
    let key = "stranger";
    const { one } = sender(
      async () => ({ address: key === "stranger" ? `127.0.0.1:${server.port}` : undefined, key }),
      { log: { ...silentLog, warn: say, info: say, debug }, clock, token: new PeerToken("x".repeat(16)) },
    );
    one.start();
    await until(() => told.length > 0);
    expect(told[0]).toMatch(/does not answer this broker: .*UNAUTHENTICATED.*not that of this cluster/);
    refusedMs = 72_000;
    await until(() => told.length > 1);
    expect(told[1]).toBe(told[0]);
    key = "self";
    one.retarget();
    await until(() => told.length > 2);
    expect(told[2]).toBe("the controller answers this broker again");
  });

  test("goes on looking when a controller is none, or not there", async () => {
    const none = fakeController("not-controller");
    const server = await serve(none.controller);
    const { one } = sender(async () => ({ address: `127.0.0.1:${server.port}`, key: "none" }));
    one.start();
    await until(() => none.heard.length >= 2);
    expect(one.isHeard).toBe(false);
    const { one: lost, reports } = sender(() => Promise.reject(new Error("the volume does not answer")));
    lost.start();
    await new Promise((resolve) => setImmediate(resolve));
    expect(reports).toEqual([]);
  });
});
