import { silentLog } from "@kaas/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeKubernetesApi } from "../testing/fake-kubernetes-api.js";
import { evenRandom, TestClock } from "../testing/test-clock.js";
import { LeaseElector } from "./lease-elector.js";
import { LEASES } from "./lease-resource.js";

const REF = { namespace: "events", name: "kaas-controller" };

/** One process: an elector, its own way to the API server, its own clock, and what it was told. */
class Candidate {
  readonly told: string[] = [];
  readonly elector: LeaseElector;

  constructor(identity: string, api: FakeKubernetesApi, clock: TestClock, epochMin = 0) {
    this.elector = new LeaseElector({
      api,
      ...REF,
      identity,
      clock,
      random: evenRandom,
      log: silentLog,
      epochMin,
      listener: {
        acquired: (epoch) => void this.told.push(`acquired ${epoch}`),
        lost: (reason) => void this.told.push(`lost: ${reason}`),
        holderChanged: (holder) => void this.told.push(`holder ${holder ?? "nobody"}`),
      },
    });
  }
}

let clock: TestClock;
let api: FakeKubernetesApi;
let candidates: Candidate[];
beforeEach(() => {
  clock = new TestClock();
  api = new FakeKubernetesApi({ clock });
  candidates = [];
});
afterEach(async () => {
  api.setReachable(true);
  for (const { elector } of candidates) {
    const stopped = elector.stop();
    await clock.run(5000);
    await stopped;
  }
  expect(clock.pending).toBe(0);
});

function candidate(identity: string, { at = clock, epochMin = 0 } = {}): Candidate {
  const made = new Candidate(identity, api, at, epochMin);
  candidates.push(made);
  made.elector.start();
  return made;
}

const lease = async () => (await api.get(LEASES, REF)).spec ?? {};
const edit = (spec: object) => api.patch(LEASES, REF, { type: "merge", object: { spec } });

describe("taken", () => {
  test("by the first, at once, and renewed from then on", async () => {
    const one = candidate("one");
    await clock.run(0);
    expect(one.told).toEqual(["acquired 1", "holder one"]);
    expect(one.elector.epoch).toBe(1);
    await clock.run(60_000);
    expect(one.told).toHaveLength(2);
    expect(await lease()).toMatchObject({ holderIdentity: "one", leaseDurationSeconds: 3, leaseTransitions: 1 });
    expect((await lease()).renewTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  });

  test("by one of many", async () => {
    for (let number = 0; number < 10; number++) candidate(`broker-${number}`);
    await clock.run(30_000);
    expect(candidates.filter(({ elector }) => elector.epoch !== undefined)).toHaveLength(1);
    expect(candidates.flatMap(({ told }) => told).filter((line) => line.startsWith("acquired"))).toEqual([
      "acquired 1",
    ]);
    expect(new Set(candidates.map(({ elector }) => elector.holder)).size).toBe(1);
  });

  test("when its holder has died, in about its duration", async () => {
    const one = candidate("one");
    await clock.run(1000);
    const two = candidate("two");
    await clock.run(10_000);
    expect(two.told).toEqual(["holder one"]);
    api.fail({ verb: "replace" }, "hang", 1000);
    await clock.run(2000);
    expect(one.told.at(-1)).toMatch(/^lost: it could not be renewed/);
    expect(two.elector.epoch).toBeUndefined();
  });

  test("at once when it is given up", async () => {
    const one = candidate("one");
    await clock.run(0);
    const two = candidate("two");
    await clock.run(5000);
    await one.elector.stop();
    await clock.run(10);
    expect(two.told).toContain("acquired 2");
    expect(one.told.at(-1)).toBe("lost: it was given up");
    expect(await lease()).toMatchObject({ holderIdentity: "two", leaseTransitions: 2 });
  });

  test("over by a holder that nothing is heard of, and only then", async () => {
    await api.create(LEASES, {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: REF,
      // What it says about time is of no interest: the clock that wrote it may be anywhere.
      spec: {
        holderIdentity: "dead",
        leaseDurationSeconds: 4,
        leaseTransitions: 7,
        renewTime: "2001-01-01T00:00:00.000000Z",
      },
    });
    const one = candidate("one");
    await clock.run(3999);
    expect(one.told).toEqual(["holder dead"]);
    await clock.run(1);
    expect(one.told).toEqual(["holder dead", "acquired 8", "holder one"]);
  });
});

describe("epochs never go back", () => {
  test("when the lease is removed", async () => {
    const one = candidate("one");
    await clock.run(0);
    await edit({ leaseTransitions: 41, holderIdentity: "" });
    await clock.run(1000);
    expect(one.elector.epoch).toBe(42);
    await api.delete(LEASES, REF);
    await clock.run(2000);
    expect(one.told).toEqual([
      "acquired 1",
      "holder one",
      'lost: it is held by ""',
      "holder nobody",
      "acquired 42",
      "holder one",
      "lost: it was removed",
      "holder nobody",
      "acquired 43",
      "holder one",
    ]);
  });

  test("below what is known from elsewhere", async () => {
    const one = candidate("one", { epochMin: 99 });
    await clock.run(0);
    expect(one.elector.epoch).toBe(100);
  });

  test("when somebody takes it by hand", async () => {
    const one = candidate("one");
    await clock.run(0);
    await edit({ holderIdentity: "thief" });
    await clock.run(0);
    expect(one.told.slice(2)).toEqual(['lost: it is held by "thief"', "holder thief"]);
    await clock.run(4000);
    expect(one.elector.epoch).toBe(2);
  });
});

describe("held by the clock", () => {
  test("it is given up before anybody may take it, when the API server is away", async () => {
    const one = candidate("one");
    const two = candidate("two");
    await clock.run(10_000);
    const [holder, other] = one.elector.epoch === undefined ? [two, one] : [one, two];
    api.setReachable(false);
    await clock.run(2000);
    expect(holder?.elector.epoch).toBeUndefined();
    expect(holder?.told.at(-1)).toMatch(/^lost/);
    await clock.run(60_000);
    expect(other?.elector.epoch).toBeUndefined();
    api.setReachable(true);
    await clock.run(5000);
    expect(candidates.filter(({ elector }) => elector.epoch === 2)).toHaveLength(1);
  });

  test("a short outage is bridged", async () => {
    const one = candidate("one");
    await clock.run(10_000);
    api.setReachable(false);
    await clock.run(1200);
    api.setReachable(true);
    await clock.run(10_000);
    expect(one.told).toEqual(["acquired 1", "holder one"]);
  });

  test("an API server that is slow does not take it away", async () => {
    const delayed = async <R>(work: () => Promise<R>): Promise<R> => {
      await new Promise<void>((resolve) => void clock.schedule(600, resolve));
      return await work();
    };
    const { get, create, replace } = api;
    api.get = (...args) => delayed(() => get.apply(api, args)) as never;
    api.create = (...args) => delayed(() => create.apply(api, args)) as never;
    api.replace = (...args) => delayed(() => replace.apply(api, args)) as never;
    const one = candidate("one");
    await clock.run(60_000);
    expect(one.told).toEqual(["acquired 1", "holder one"]);
  });

  test("a read that hangs does not keep it from being given up in time", async () => {
    const one = candidate("one");
    await clock.run(10_000);
    api.fail({ verb: "replace" }, "unreachable", 1000);
    api.fail({ verb: "get" }, "hang", 1000);
    await clock.run(2000);
    expect(one.told.at(-1)).toMatch(/^lost/);
  });

  test("a renewal whose answer is lost is found to be done", async () => {
    const one = candidate("one");
    await clock.run(10_000);
    api.fail({ verb: "replace" }, "lost-answer");
    await clock.run(10_000);
    expect(one.told).toEqual(["acquired 1", "holder one"]);
    expect(one.elector.epoch).toBe(1);
  });

  test("an acquisition whose answer is lost is begun again, in a new epoch", async () => {
    api.fail({ verb: "create" }, "lost-answer");
    const one = candidate("one");
    await clock.run(5000);
    expect(one.told).toContain("acquired 2");
    expect(one.told).not.toContain("acquired 1");
  });

  test("a process that was stopped knows it at once, and cannot act on what it held", async () => {
    const one = candidate("one");
    await clock.run(1000);
    expect(one.elector.epoch).toBe(1);
    clock.freeze(10_000);
    expect(one.elector.epoch).toBeUndefined();
    await clock.run(0);
    expect(one.told.slice(2)).toEqual([expect.stringMatching(/^lost: it could not be renewed for/), "acquired 2"]);
  });

  test("a process whose clock stood still with it finds out by the next renewal", async () => {
    const elsewhere = new TestClock();
    const one = candidate("one");
    await clock.run(1000);
    const two = candidate("two", { at: elsewhere });
    await elsewhere.run(10_000);
    expect(two.elector.epoch).toBe(2);
    await clock.run(800);
    expect(one.elector.epoch).toBeUndefined();
    expect((await lease()).holderIdentity).toBe("two");
  });

  test("jumps of the wall clock by an hour change nothing", async () => {
    const one = candidate("one");
    const two = candidate("two");
    await clock.run(5000);
    for (const hours of [1, -2, 1]) {
      clock.jump(hours * 3_600_000);
      await clock.run(5000);
    }
    expect([...one.told, ...two.told].filter((line) => line.startsWith("acquired"))).toHaveLength(1);
  });
});

test("an idle candidate asks for nothing while the lease is renewed", async () => {
  candidate("one");
  await clock.run(0);
  candidate("two");
  await clock.run(1000);
  const before = api.calls.length;
  await clock.run(60_000);
  // Renewals of the holder, one each 700 ms, and nothing else.
  expect(api.calls.length - before).toBeLessThan(90);
  expect(api.calls.slice(before).every(({ verb }) => verb === "replace")).toBe(true);
});
