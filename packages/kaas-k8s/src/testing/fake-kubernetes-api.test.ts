import { beforeEach, describe, expect, test } from "vitest";
import type { WatchEvent } from "../api/kubernetes-api.js";
import type { KubernetesObject } from "../api/kubernetes-object.js";
import type { Resource } from "../api/resource.js";
import { FakeKubernetesApi } from "./fake-kubernetes-api.js";
import { settle, TestClock } from "./test-clock.js";

interface Thing extends KubernetesObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

const THINGS: Resource<Thing> = { group: "x.io", version: "v1", kind: "Thing", plural: "things", isNamespaced: true };
const ref = (name: string) => ({ namespace: "a", name });
const thing = (name: string, spec: Thing["spec"] = {}, metadata: Partial<Thing["metadata"]> = {}): Thing => ({
  apiVersion: "x.io/v1",
  kind: "Thing",
  metadata: { ...metadata, namespace: "a", name },
  spec,
});

let clock: TestClock;
let api: FakeKubernetesApi;
beforeEach(() => {
  clock = new TestClock();
  api = new FakeKubernetesApi({ clock });
});

/** Collects events until the watch ends. */
function collect(resourceVersion: string, selection = {}) {
  const events: string[] = [];
  const ended = (async () => {
    for await (const event of api.watch(THINGS, { ...selection, resourceVersion, timeoutSeconds: 60 })) {
      events.push(describeEvent(event));
    }
  })();
  return { events, ended };
}

function describeEvent(event: WatchEvent<Thing>): string {
  if (event.type === "BOOKMARK") return "BOOKMARK";
  if (event.type === "ERROR") return `ERROR ${event.status.code}`;
  return `${event.type} ${event.object.metadata.name}`;
}

describe("objects", () => {
  test("are created once, with identity, and read as they were written", async () => {
    const created = await api.create(THINGS, thing("one", { size: 1 }));
    expect(created.metadata).toMatchObject({ uid: "uid-1", generation: 1 });
    expect(await api.get(THINGS, ref("one"))).toEqual(created);
    await expect(api.create(THINGS, thing("one"))).rejects.toMatchObject({
      status: 409,
      reason: "AlreadyExists",
      code: "KAAS_KUBERNETES_CONFLICT",
    });
    await expect(api.get(THINGS, ref("two"))).rejects.toMatchObject({ code: "KAAS_KUBERNETES_NOT_FOUND" });
  });

  test("are replaced only by who has seen the newest state", async () => {
    const first = await api.create(THINGS, thing("one", { size: 1 }));
    const second = await api.replace(THINGS, { ...first, spec: { size: 2 } });
    expect(second.metadata.generation).toBe(2);
    expect(second.metadata.uid).toBe(first.metadata.uid);
    await expect(api.replace(THINGS, { ...first, spec: { size: 3 } })).rejects.toMatchObject({ reason: "Conflict" });
    await expect(api.delete(THINGS, ref("one"), { uid: "other" })).rejects.toMatchObject({ status: 409 });
    await api.delete(THINGS, ref("one"), { uid: first.metadata.uid ?? "" });
    await expect(api.get(THINGS, ref("one"))).rejects.toMatchObject({ status: 404 });
  });

  test("have a status that only its subresource changes, and that does not count as a generation", async () => {
    const created = await api.create(THINGS, { ...thing("one", { size: 1 }), status: { is: "ignored" } });
    expect(created.status).toBeUndefined();
    const status = { status: { is: "told" }, spec: { size: 9 } };
    const told = await api.patch(THINGS, ref("one"), { type: "merge", object: status }, { subresource: "status" });
    expect(told).toMatchObject({ status: { is: "told" }, spec: { size: 1 }, metadata: { generation: 1 } });
    const changed = await api.patch(THINGS, ref("one"), { type: "merge", object: { status: {}, spec: { size: 2 } } });
    expect(changed).toMatchObject({ status: { is: "told" }, spec: { size: 2 }, metadata: { generation: 2 } });
  });

  test("stay until their finalizers are gone", async () => {
    await api.create(THINGS, thing("one", {}, { finalizers: ["x"] }));
    await api.delete(THINGS, ref("one"));
    expect((await api.get(THINGS, ref("one"))).metadata.deletionTimestamp).toBe("2023-11-14T22:13:20Z");
    await api.patch(THINGS, ref("one"), { type: "merge", object: { metadata: { finalizers: [] } } });
    await expect(api.get(THINGS, ref("one"))).rejects.toMatchObject({ status: 404 });
  });

  test("go with their owners when garbage is collected", async () => {
    const { metadata } = await api.create(THINGS, thing("owner"));
    const ownerReferences = [{ apiVersion: "x.io/v1", kind: "Thing", name: "owner", uid: metadata.uid ?? "" }];
    const child = await api.create(THINGS, thing("child", {}, { ownerReferences }));
    await api.create(
      THINGS,
      thing("grandchild", {}, { ownerReferences: [{ ...ownerReferences[0], uid: child.metadata.uid } as never] }),
    );
    expect(api.collectGarbage()).toBe(0);
    await api.delete(THINGS, ref("owner"));
    expect(api.collectGarbage()).toBe(2);
    expect((await api.list(THINGS)).items).toEqual([]);
  });

  test("are refused, or get defaults, as a definition says", async () => {
    const withDefaults = (object: Thing): Thing => ({ ...object, spec: { size: 1, ...object.spec } });
    const admit = (object: Thing): Thing | string => (object.metadata.name === "bad" ? "no" : withDefaults(object));
    api = new FakeKubernetesApi({ clock, admit });
    await expect(api.create(THINGS, thing("bad"))).rejects.toMatchObject({
      status: 422,
      code: "KAAS_KUBERNETES_REFUSED",
    });
    await api.create(THINGS, thing("a"));
    // A default that is left out again is no change.
    const { metadata, spec } = await api.replace(THINGS, thing("a"));
    expect([metadata.generation, spec]).toEqual([1, expect.objectContaining({ size: 1 })]);
  });

  test("can be looked at without a call", async () => {
    await api.create(THINGS, thing("a"));
    const calls = api.calls.length;
    expect(api.all(THINGS).map(({ metadata }) => metadata.name)).toEqual(["a"]);
    expect(api.peek(THINGS, ref("a"))?.metadata.uid).toBe("uid-1");
    expect(api.peek(THINGS, ref("b"))).toBeUndefined();
    expect(api.calls).toHaveLength(calls);
  });
});

describe("server-side apply", () => {
  const apply = (manager: string, spec: object, isForced = false) =>
    api.patch(THINGS, ref("one"), {
      type: "apply",
      object: thing("one", spec as never),
      fieldManager: manager,
      isForced,
    });

  test("creates, adds, and takes away what its manager does not want any more", async () => {
    await apply("m", { a: 1, b: { c: 2 } });
    await apply("n", { d: 4 });
    expect((await apply("m", { a: 1 })).spec).toEqual({ a: 1, d: 4 });
  });

  test("leaves what somebody else wants too", async () => {
    await apply("m", { a: 1, b: 2 });
    await apply("n", { b: 2 });
    expect((await apply("m", { a: 1 })).spec).toEqual({ a: 1, b: 2 });
  });

  test("refuses another value than somebody else's, unless it is forced", async () => {
    await apply("m", { a: 1 });
    await expect(apply("n", { a: 2 })).rejects.toMatchObject({ status: 409 });
    expect((await apply("n", { a: 2 }, true)).spec).toEqual({ a: 2 });
    expect((await apply("m", { b: 1 })).spec).toEqual({ a: 2, b: 1 });
  });

  test("does not take away what was written in another way", async () => {
    await api.create(THINGS, thing("one", { a: 1, b: 2 }), { fieldManager: "kubectl" });
    await apply("m", { a: 1 });
    expect((await apply("m", {})).spec).toEqual({ a: 1, b: 2 });
  });

  test("merges conditions by type", async () => {
    await api.create(THINGS, thing("one"));
    const status = (manager: string, type: string) =>
      api.patch(
        THINGS,
        ref("one"),
        {
          type: "apply",
          fieldManager: manager,
          object: { ...thing("one"), status: { conditions: [{ type, status: "True" }] } },
        },
        { subresource: "status" },
      );
    await status("m", "Ready");
    const both = await status("n", "Fine");
    expect(both.status).toEqual({
      conditions: [
        { type: "Ready", status: "True" },
        { type: "Fine", status: "True" },
      ],
    });
  });
});

describe("lists", () => {
  test("come in pages of one moment, until that is forgotten", async () => {
    for (const name of ["a", "b", "c"]) await api.create(THINGS, thing(name));
    const first = await api.list(THINGS, { limit: 2 });
    await api.delete(THINGS, ref("c"));
    const second = await api.list(THINGS, { limit: 2, continue: first.continue ?? "" });
    expect([...first.items, ...second.items].map(({ metadata }) => metadata.name)).toEqual(["a", "b", "c"]);
    expect(second.continue).toBeUndefined();
    expect(second.resourceVersion).toBe(first.resourceVersion);
    api.compact();
    await expect(api.list(THINGS, { continue: first.continue ?? "" })).rejects.toMatchObject({ status: 410 });
  });

  test("have what was selected", async () => {
    await api.create(THINGS, thing("a", {}, { labels: { app: "x" } }));
    await api.create(THINGS, thing("b", {}, { labels: { app: "y" } }));
    const names = async (query: object) => (await api.list(THINGS, query)).items.map(({ metadata }) => metadata.name);
    expect(await names({ labelSelector: "app=x" })).toEqual(["a"]);
    expect(await names({ labelSelector: "app!=x" })).toEqual(["b"]);
    expect(await names({ fieldSelector: "metadata.name=b" })).toEqual(["b"]);
    expect(await names({ namespace: "other" })).toEqual([]);
  });
});

describe("watches", () => {
  test("tell what happened since, and what happens", async () => {
    const { resourceVersion } = await api.list(THINGS);
    await api.create(THINGS, thing("one"));
    const { events, ended } = collect(resourceVersion);
    await settle();
    await api.patch(THINGS, ref("one"), { type: "merge", object: { spec: { a: 1 } } });
    await api.delete(THINGS, ref("one"));
    api.sendBookmarks();
    await clock.run(60_000);
    await ended;
    expect(events).toEqual(["BOOKMARK", "ADDED one", "MODIFIED one", "DELETED one", "BOOKMARK"]);
    expect(api.openWatches).toBe(0);
  });

  test("see objects come into a selection and leave it", async () => {
    await api.create(THINGS, thing("one"));
    const { events, ended } = collect((await api.list(THINGS)).resourceVersion, { labelSelector: "on=1" });
    await settle();
    await api.patch(THINGS, ref("one"), { type: "merge", object: { metadata: { labels: { on: "1" } } } });
    await api.patch(THINGS, ref("one"), { type: "merge", object: { metadata: { labels: null } } });
    await settle();
    api.endWatches();
    await ended;
    expect(events).toEqual(["BOOKMARK", "ADDED one", "DELETED one"]);
  });

  test("from a time that is forgotten are told so", async () => {
    const { resourceVersion } = await api.list(THINGS);
    await api.create(THINGS, thing("one"));
    api.compact();
    const { events } = collect(resourceVersion);
    await settle();
    expect(events).toEqual(["BOOKMARK", "ERROR 410"]);
  });

  test("break, are refused, and end with their signal", async () => {
    const { resourceVersion } = await api.list(THINGS);
    const broken = collect(resourceVersion);
    await settle();
    api.breakWatches();
    await expect(broken.ended).rejects.toMatchObject({ code: "KAAS_KUBERNETES_UNREACHABLE" });
    const refused = collect(resourceVersion);
    await settle();
    api.refuseWatches({ code: 500, reason: "InternalError", message: "etcd" });
    await refused.ended;
    expect(refused.events).toEqual(["BOOKMARK", "ERROR 500"]);
    const stopping = new AbortController();
    const next = api.watch(THINGS, { resourceVersion, timeoutSeconds: 9 }, { signal: stopping.signal });
    const iterator = next[Symbol.asyncIterator]();
    await iterator.next();
    const waiting = iterator.next();
    await settle();
    stopping.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });
});

describe("failures", () => {
  test("come from whoever looks at calls before they are done", async () => {
    api.intercept = ({ verb, name }) => {
      if (verb === "create" && name === "one") throw new Error("not this one");
    };
    await expect(api.create(THINGS, thing("one"))).rejects.toThrow("not this one");
    await api.create(THINGS, thing("two"));
  });

  test("come of a group that the server does not have", async () => {
    api.missingGroups.add("x.io");
    await expect(api.list(THINGS)).rejects.toMatchObject({ status: 404, reason: "NotFound" });
  });

  test("come as often as they were asked for", async () => {
    api.fail({ verb: "create", name: "one" }, { code: 403, reason: "Forbidden", message: "no" }, 1);
    await expect(api.create(THINGS, thing("one"))).rejects.toMatchObject({ code: "KAAS_KUBERNETES_FORBIDDEN" });
    await api.create(THINGS, thing("one"));
    expect(api.calls).toHaveLength(2);
  });

  test("an answer that is lost leaves the change done", async () => {
    api.fail({ verb: "create" }, "lost-answer");
    const creating = api.create(THINGS, thing("one"), { timeoutMs: 100 });
    const outcome = expect(creating).rejects.toMatchObject({ code: "KAAS_KUBERNETES_UNREACHABLE" });
    await clock.run(100);
    await outcome;
    expect((await api.get(THINGS, ref("one"))).metadata.name).toBe("one");
  });

  test("a server that is away answers nothing", async () => {
    api.setReachable(false);
    await expect(api.list(THINGS)).rejects.toMatchObject({ status: 0 });
    api.setReachable(true);
    expect((await api.list(THINGS)).items).toEqual([]);
  });
});
