import { type Log, silentLog } from "@kaas/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { KubernetesObject } from "../api/kubernetes-object.js";
import type { Resource } from "../api/resource.js";
import { FakeKubernetesApi } from "../testing/fake-kubernetes-api.js";
import { evenRandom, TestClock } from "../testing/test-clock.js";
import { Reflector, type ReflectorOptions } from "./reflector.js";
import { ServerPresence } from "./server-presence.js";
import { WatchedSet } from "./watched-set.js";

const THINGS: Resource = { group: "x.io", version: "v1", kind: "Thing", plural: "things", isNamespaced: true };
const thing = (name: string): KubernetesObject => ({
  apiVersion: "x.io/v1",
  kind: "Thing",
  metadata: { namespace: "a", name },
});

let clock: TestClock;
let api: FakeKubernetesApi;
let told: string[];
let warnings: string[];
let set: WatchedSet<KubernetesObject>;
let reflector: Reflector<KubernetesObject>;

beforeEach(() => {
  clock = new TestClock();
  api = new FakeKubernetesApi({ clock });
  told = [];
  warnings = [];
  set = new WatchedSet({
    changed: (object, before) => void told.push(`${before === undefined ? "+" : "~"}${object.metadata.name}`),
    deleted: (object) => void told.push(`-${object.metadata.name}`),
    onSynced: () => void told.push("synced"),
  });
  const log: Log = { ...silentLog, warn: (_, message) => void warnings.push(message) };
  reflector = new Reflector({ api, resource: THINGS, sink: set, clock, random: evenRandom, log });
});
afterEach(async () => {
  await reflector.stop();
  expect(api.openWatches).toBe(0);
  expect(clock.pending).toBe(0);
});

const create = (...names: string[]) => Promise.all(names.map((name) => api.create(THINGS, thing(name))));
const change = (name: string) =>
  api.patch(THINGS, { namespace: "a", name }, { type: "merge", object: { spec: { at: clock.monotonic() } } });
const remove = (name: string) => api.delete(THINGS, { namespace: "a", name });
const count = (verb: string): number => api.calls.filter((call) => call.verb === verb).length;

async function synced(...names: string[]): Promise<void> {
  await create(...names);
  reflector.start();
  await clock.run(0);
  expect(told).toEqual([...names.map((name) => `+${name}`), "synced"]);
  told.length = 0;
}

describe("in order", () => {
  test("tells what exists, then what changes", async () => {
    await synced("one", "two");
    await change("one");
    await remove("two");
    await create("three");
    await clock.run(0);
    expect(told).toEqual(["~one", "-two", "+three"]);
    expect(reflector.health).toEqual({ state: "watching", failures: 0, lastError: undefined });
  });

  test("a watch that the server ends is begun where it ended, with no list", async () => {
    await synced("one");
    await change("one");
    await clock.run(10 * 300_000);
    expect(count("list")).toBe(1);
    expect(count("watch")).toBeGreaterThan(10);
    expect(told).toEqual(["~one"]);
    expect(warnings).toEqual([]);
  });

  test("a bookmark moves the place along", async () => {
    await synced("one");
    for (let minute = 0; minute < 10; minute++) {
      await api.create({ ...THINGS, plural: "others" }, thing(`other-${minute}`));
      api.sendBookmarks();
      await clock.run(60_000);
    }
    api.compact();
    api.sendBookmarks();
    await clock.run(0);
    api.breakWatches();
    await clock.run(1000);
    expect(count("list")).toBe(1);
  });

  test("a list of many pages is told whole", async () => {
    const names = Array.from({ length: 1201 }, (_, index) => `thing-${String(index).padStart(4, "0")}`);
    await synced(...names);
    expect(count("list")).toBe(3);
  });
});

describe("broken", () => {
  test("a reset is followed by a watch from the same place", async () => {
    await synced("one");
    api.breakWatches();
    await change("one");
    await clock.run(250);
    expect(told).toEqual(["~one"]);
    expect(count("list")).toBe(1);
    expect(warnings).toEqual(["watch things: broken; trying until it works again"]);
  });

  test("what was deleted while the history was forgotten is retracted by the list", async () => {
    await synced("one", "two");
    api.setReachable(false);
    await clock.run(60_000);
    api.setReachable(true);
    await remove("one");
    await create("three");
    api.compact();
    await clock.run(10_000);
    expect(told).toEqual(["+three", "-one"]);
    expect(count("list")).toBe(2);
  });

  test("410 as the status of a watch is answered with a list at once", async () => {
    await synced("one");
    api.fail({ verb: "watch" }, { code: 410, reason: "Gone", message: "too old" });
    api.endWatches();
    await clock.run(1000);
    expect(count("list")).toBe(2);
    expect(told).toEqual([]);
    expect(warnings.length).toBeLessThanOrEqual(1);
  });

  test("a list that is cut short retracts nothing", async () => {
    const names = Array.from({ length: 600 }, (_, index) => `thing-${String(index).padStart(3, "0")}`);
    await synced(...names);
    api.breakWatches();
    for (const name of names) await remove(name);
    await create(...names.map((name) => `new-${name}`));
    api.compact();
    let isCut = false;
    const list = api.list.bind(api);
    api.list = async (resource, query, options) => {
      if (query?.continue !== undefined && !isCut) {
        isCut = true;
        api.fail({ verb: "list" }, "unreachable");
      }
      return await list(resource, query, options);
    };
    await clock.run(300);
    expect(isCut).toBe(true);
    expect(told.filter((line) => line.startsWith("+"))).toHaveLength(500);
    expect(told.filter((line) => line.startsWith("-"))).toEqual([]);
    await clock.run(60_000);
    expect(told.filter((line) => line.startsWith("-"))).toHaveLength(600);
    expect(set.size).toBe(600);
  });

  test("a list whose second page is forgotten is read again, whole", async () => {
    const names = Array.from({ length: 600 }, (_, index) => `thing-${String(index).padStart(3, "0")}`);
    await create(...names);
    let lists = 0;
    const list = api.list.bind(api);
    api.list = async (...args) => {
      if (++lists === 2) api.compact();
      return await list(...args);
    };
    reflector.start();
    await clock.run(0);
    expect(lists).toBe(3);
    expect(set.size).toBe(600);
    expect(told.filter((line) => line.startsWith("-"))).toEqual([]);
  });

  test.each([401, 403, 404, 500])("status %i of the list is waited for, ever longer", async (code) => {
    await create("one");
    api.fail({ verb: "list" }, { code, reason: "", message: "no" }, 40);
    reflector.start();
    await clock.run(60_000);
    // 5 s at most between attempts, and never a storm.
    expect(count("list")).toBeGreaterThan(12);
    expect(count("list")).toBeLessThan(25);
    expect(warnings).toHaveLength(1);
    expect(reflector.health).toMatchObject({ state: "waiting", lastError: expect.stringContaining("no") });
    await clock.run(400_000);
    expect(told).toEqual(["+one", "synced"]);
  });

  test("rights that are lost for a while retract nothing, and the place is kept", async () => {
    await synced("one");
    api.fail({ verb: "watch" }, { code: 403, reason: "Forbidden", message: "no" }, 5);
    api.breakWatches();
    await clock.run(60_000);
    await change("one");
    await clock.run(0);
    expect(told).toEqual(["~one"]);
    expect(count("list")).toBe(1);
  });

  test("Retry-After of a 429 is kept", async () => {
    await synced("one");
    api.fail({ verb: "watch" }, { code: 429, reason: "TooManyRequests", message: "later", retryAfterSeconds: 30 });
    const before = count("watch");
    api.breakWatches();
    await clock.run(30_000);
    expect(count("watch")).toBe(before + 1);
    await clock.run(1000);
    expect(count("watch")).toBe(before + 2);
  });

  test("an error in the stream that comes again and again is answered with a list in the end", async () => {
    await synced("one");
    api.fail({ verb: "watch" }, { code: 504, reason: "Timeout", message: "Too large resource version" }, 3);
    api.breakWatches();
    await clock.run(10_000);
    expect(count("list")).toBe(2);
    expect(reflector.health).toEqual({ state: "watching", failures: 0, lastError: undefined });
  });

  test("a watch that is accepted and then refused, again and again, is begun anew in the end", async () => {
    await synced("one");
    for (let round = 0; round < 100; round++) {
      api.refuseWatches({ code: 504, reason: "Timeout", message: "Too large resource version" });
      await clock.run(100);
    }
    expect(count("list")).toBeGreaterThan(1);
    expect(count("watch")).toBeLessThan(15);
  });

  test("a watch that is ended at once, again and again, is no tight loop", async () => {
    await synced("one");
    const before = count("watch");
    for (let round = 0; round < 100; round++) {
      api.endWatches();
      await clock.run(100);
    }
    expect(count("watch") - before).toBeLessThan(15);
  });

  test("silence is taken for a connection that is dead", async () => {
    await synced("one");
    const before = count("watch");
    await clock.run(119_000);
    expect(count("watch")).toBe(before);
    await clock.run(2000);
    expect(count("watch")).toBe(before + 1);
  });

  test("a call that is never answered is given up", async () => {
    await create("one");
    api.fail({ verb: "list" }, "hang");
    reflector.start();
    await clock.run(30_000);
    await clock.run(250);
    expect(told).toEqual(["+one", "synced"]);
  });

  test("a sink that throws is told everything again", async () => {
    let isBroken = true;
    const { changed } = set;
    set.changed = (object) => {
      if (isBroken) throw new Error("a defect");
      changed.call(set, object);
    };
    await create("one");
    reflector.start();
    await clock.run(0);
    expect(reflector.health).toMatchObject({ lastError: "a defect", failures: 1 });
    isBroken = false;
    await clock.run(1000);
    expect(told).toEqual(["+one", "synced"]);
  });
});

describe("an API server that comes back", () => {
  const others: Reflector<KubernetesObject>[] = [];
  afterEach(async () => {
    for (const other of others.splice(0)) await other.stop();
  });

  const sharing = (presence: ServerPresence, more: Partial<ReflectorOptions<KubernetesObject>> = {}) => {
    const sink = new WatchedSet<KubernetesObject>({ changed() {}, deleted() {}, onSynced() {} });
    const options = { api, resource: THINGS, sink, clock, random: evenRandom, log: silentLog, presence, ...more };
    const other = new Reflector<KubernetesObject>(options);
    others.push(other);
    other.start();
    return other;
  };

  test("is asked again within five seconds, however long it was away", async () => {
    await synced("one");
    api.setReachable(false);
    await clock.run(600_000);
    await change("one").catch(() => undefined);
    api.setReachable(true);
    await change("one");
    await clock.run(5_000);
    expect(told).toEqual(["~one"]);
  });

  test("is asked at once by all that wait, when one has reached it", async () => {
    const presence = new ServerPresence();
    const slow = { backoffFirstMs: 3_600_000, backoffLongestMs: 3_600_000 };
    const waiting = [sharing(presence, { timing: slow }), sharing(presence, { timing: slow })];
    await clock.run(1_000);
    api.setReachable(false);
    await clock.run(60_000);
    expect(waiting.map(({ health }) => health.state)).toEqual(["waiting", "waiting"]);
    api.setReachable(true);
    await clock.run(60_000);
    expect(waiting.map(({ health }) => health.state)).toEqual(["waiting", "waiting"]);
    const quick = sharing(presence);
    await clock.run(0);
    expect([quick, ...waiting].map(({ health }) => health.state)).toEqual(["watching", "watching", "watching"]);
  });

  test("does not have a watch that alone is broken tried without a rest", async () => {
    const presence = new ServerPresence();
    sharing(presence);
    await clock.run(1_000);
    api.fail({ verb: "watch" }, "unreachable", 1_000);
    api.breakWatches();
    const before = count("watch");
    // Something else of this process is answered five times a second.
    for (let turn = 0; turn < 300; turn++) {
      presence.reached();
      await clock.run(200);
    }
    expect(count("watch") - before).toBeLessThan(40);
    expect(count("watch") - before).toBeGreaterThan(20);
  });

  test("and refuses at first is not waited for as long as it was away", async () => {
    await synced("one");
    api.setReachable(false);
    await clock.run(120_000);
    await change("one").catch(() => undefined);
    api.setReachable(true);
    await change("one");
    api.fail({ verb: "watch" }, { code: 403, reason: "Forbidden", message: "not yet" }, 2);
    const beganAt = clock.monotonic();
    while (count("watch") > 0 && told.length === 0) await clock.run(100);
    expect(clock.monotonic() - beganAt).toBeLessThan(6_000);
  });

  test("and has not reached it is not asked sooner for an answer that somebody else got before", async () => {
    const presence = new ServerPresence();
    const woken: string[] = [];
    presence.onReturn(() => void woken.push("one"));
    const forget = presence.onReturn(() => void woken.push("two"));
    presence.reached();
    expect(woken).toEqual([]);
    presence.missed();
    presence.reached();
    presence.reached();
    forget();
    presence.missed();
    presence.reached();
    expect(woken).toEqual(["one", "two", "one"]);
  });
});

test("stop ends it in the middle of a wait, and nothing is told afterwards", async () => {
  api.setReachable(false);
  reflector.start();
  await clock.run(1000);
  await reflector.stop();
  const calls = api.calls.length;
  api.setReachable(true);
  await create("one");
  await clock.run(60_000);
  expect(api.calls.length).toBe(calls + 1);
  expect(told).toEqual([]);
  expect(reflector.health.state).toBe("stopped");
});
