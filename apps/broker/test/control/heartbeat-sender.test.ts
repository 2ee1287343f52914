import { type HeartbeatAnswer, type HeartbeatReport, silentLog } from "@kaas/core";
import { beforeEach, describe, expect, test } from "vitest";
import { evenRandom, TestClock } from "../../../../packages/kaas-k8s/src/testing/test-clock.js";
import { departedController } from "../../src/control/departed-controller.js";
import { leaseIdentity } from "../../src/control/lease-identity.js";
import { type ControllerTarget, HeartbeatSender } from "../../src/control/peers/heartbeat-sender.js";
import type { Peer, PeerListener } from "../../src/control/peers/peer-client.js";

const OLD = { broker: "kaas-0", incarnation: "old" };
const KEY = leaseIdentity(OLD);
const NEWEST = {
  controllerEpoch: 1,
  version: 1,
  controllerId: 0,
  createdMs: 0,
  brokers: [
    { nodeId: 0, name: "kaas-0", incarnation: "old", rack: null, listeners: [], isFenced: false, isAlive: true },
  ],
  topics: [],
  slots: { groups: [], transactions: [] },
};
const REPORT = { nodeId: 1 } as HeartbeatReport;

/** Processes that are connected to, and what becomes of that. */
class Network {
  connections = 0;
  /** `refuses`: nobody listens there. `silent`: it takes connections and says nothing. */
  state: "answers" | "refuses" | "silent" = "answers";
  verdict: HeartbeatAnswer["verdict"] = "ok";
  #listener: PeerListener | undefined;

  readonly connect = (_address: string, listener: PeerListener): Peer => {
    this.connections++;
    this.#listener = listener;
    if (this.state === "refuses") queueMicrotask(() => listener.ended("connection refused"));
    return {
      report: () => {
        if (this.state === "answers") listener.answered({ verdict: this.verdict, controllerEpoch: 1, version: 1 });
      },
      hangUp: () => undefined,
      close: () => undefined,
    } as unknown as Peer;
  };

  /** As the kernel does with the connections of a process that ends. */
  breakOff(): void {
    this.#listener?.ended("connection reset");
  }
}

let clock: TestClock;
let network: Network;
let target: ControllerTarget | undefined;
let sender: HeartbeatSender;
beforeEach(async () => {
  clock = new TestClock();
  network = new Network();
  target = { address: "a:1", key: KEY };
  sender = new HeartbeatSender({
    clock,
    random: evenRandom,
    log: silentLog,
    connect: network.connect,
    target: async () => target,
    hear: () => ({ verdict: "ok", controllerEpoch: 2, version: 1 }),
    nextReport: () => REPORT,
    assigned: () => undefined,
  });
  sender.start();
  await clock.run(2_000);
  return () => sender.stop();
});

const departed = () => departedController(sender.broken, NEWEST);

describe("a controller that has ended", () => {
  test("is known to be gone when it did not come back in a while, and by then not before", async () => {
    expect(departed()).toBeUndefined();
    network.state = "refuses";
    network.breakOff();
    await clock.run(500);
    expect(departed()).toBeUndefined();
    await clock.run(100);
    expect(sender.broken).toEqual({ key: KEY, forMs: 600 });
    expect(departed()).toEqual({ nodeId: 0, incarnation: "old" });
    expect(network.connections).toBeGreaterThan(2);
    await clock.run(10_000);
    expect(departed()).toBeDefined();
  });

  test("is still known by who has become the controller itself", async () => {
    network.state = "refuses";
    network.breakOff();
    await clock.run(2_000);
    target = { address: undefined, key: "kaas-1/self" };
    sender.retarget();
    await clock.run(1_000);
    expect(departed()).toBeDefined();
  });

  test("is of no interest once another one answers", async () => {
    network.state = "refuses";
    network.breakOff();
    await clock.run(1_000);
    network.state = "answers";
    target = { address: "b:1", key: "kaas-2/other" };
    sender.retarget();
    await clock.run(1_000);
    expect(sender.broken).toBeUndefined();
  });

  test("is nobody to a cluster that does not know it", async () => {
    network.state = "refuses";
    network.breakOff();
    await clock.run(1_000);
    expect(departedController(sender.broken, undefined)).toBeUndefined();
    expect(departedController({ key: "a name of somebody else's", forMs: 9_000 }, NEWEST)).toBeUndefined();
  });
});

describe("a controller that lives", () => {
  test("is not taken for gone after a connection that broke and came back", async () => {
    for (let blip = 0; blip < 5; blip++) {
      network.state = "refuses";
      network.breakOff();
      await clock.run(300);
      network.state = "answers";
      await clock.run(1_000);
      expect(sender.broken).toBeUndefined();
      expect(sender.isHeard).toBe(true);
    }
  });

  test("is not taken for gone when it stands still: its connections stay", async () => {
    network.state = "silent";
    await clock.run(60_000);
    expect(sender.isHeard).toBe(false);
    expect(departed()).toBeUndefined();
  });

  test("is not taken for gone by a broker that it never answered", async () => {
    const stranger = new Network();
    stranger.state = "refuses";
    const other = new HeartbeatSender({
      clock,
      random: evenRandom,
      log: silentLog,
      connect: stranger.connect,
      target: async () => target,
      hear: () => ({ verdict: "ok", controllerEpoch: 2, version: 1 }),
      nextReport: () => REPORT,
      assigned: () => undefined,
    });
    other.start();
    await clock.run(10_000);
    expect(stranger.connections).toBeGreaterThan(5);
    expect(other.broken).toBeUndefined();
    other.stop();
  });

  test("is not taken for gone when it answers that it is the controller no more", async () => {
    network.verdict = "not-controller";
    await clock.run(5_000);
    expect(sender.broken).toBeUndefined();
  });
});
