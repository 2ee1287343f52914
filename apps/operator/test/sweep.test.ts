import { KAFKA_TOPICS, KAFKA_USERS, KubernetesError } from "@kaas/k8s";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { SECRETS } from "../src/kubernetes/resources.js";
import { NAMESPACE, OperatorHarness, readyOf } from "./operator-harness.js";

const ref = (name: string) => ({ name, namespace: NAMESPACE });
const ID = "BBBBBBBBBBBBBBBBBBBBBB";

let harness: OperatorHarness;
beforeEach(async () => {
  harness = await OperatorHarness.create();
});
afterEach(() => harness.stop());

const orphan = (name: string, keptFor: string | undefined = harness.cluster()?.metadata.uid) =>
  harness.directories.put({
    name,
    id: ID,
    partitionCount: 1,
    overrides: {},
    placement: new Map([[0, "fast"]]),
    keptFor,
  });

describe("the sweep", () => {
  test("removes orphans, and only those", async () => {
    await orphan("orphan");
    await orphan("before", "uid of another cluster");
    await harness.directories.put({ name: "single", id: ID, partitionCount: 1, overrides: {}, placement: new Map() });
    for (const path of ["/data/unstamped", "/data/unstamped/0", "/data/.snapshot", "/data/lost+found"]) {
      await harness.fileSystem.makeDirectory(path);
    }
    await harness.createTopic("kept");
    await harness.start();
    expect(await harness.names("/data")).toEqual([
      ".snapshot",
      "__cluster",
      "before",
      "kept",
      "lost+found",
      "single",
      "unstamped",
    ]);
    expect(await harness.names("/fast")).toEqual(["before"]);
  });

  test("comes at leadership, and every five minutes", async () => {
    await harness.start();
    await orphan("orphan");
    await harness.pass(290_000);
    expect(await harness.directories.names()).toEqual(["orphan"]);
    await harness.pass(12_000);
    expect(await harness.directories.names()).toEqual([]);
  });

  test("goes on past what it cannot remove, and comes back to it", async () => {
    for (const name of ["a", "b", "c"]) await orphan(name);
    const remove = harness.fileSystem.removeDirectory.bind(harness.fileSystem);
    let isBusy = true;
    harness.fileSystem.removeDirectory = (path) =>
      isBusy && path.includes("deleting-b-") && path.startsWith("/data")
        ? Promise.reject(new Error("busy"))
        : remove(path);
    await harness.createUser("alice", { authentication: { type: "scram-sha-512" } });
    await harness.credentials.update((content) => ({ ...content, quotas: [{ entity: { user: "gone" }, limits: {} }] }));
    await harness.start();
    expect((await harness.names("/data")).map((name) => name.slice(0, 11))).toEqual([".deleting-b", "__cluster"]);
    expect((await harness.credentials.read())?.quotas).toEqual([]);
    isBusy = false;
    await harness.pass(302_000);
    expect(await harness.names("/data")).toEqual(["__cluster"]);
  });

  test("does without the part that fails", async () => {
    await orphan("orphan");
    await harness.credentials.update((content) => ({ ...content, quotas: [{ entity: { user: "gone" }, limits: {} }] }));
    harness.api.intercept = ({ verb, plural }) => {
      const lists = harness.api.calls.filter((call) => call.verb === "list" && call.plural === "kafkatopics").length;
      if (verb === "list" && plural === "kafkatopics" && lists === 2) throw unavailable();
    };
    await harness.start();
    expect(await harness.directories.names()).toEqual(["orphan"]);
    expect((await harness.credentials.read())?.quotas).toEqual([]);
    await harness.pass(302_000);
    expect(await harness.directories.names()).toEqual([]);
  });

  test("removes nothing when it cannot know what there is", async () => {
    await orphan("orphan");
    harness.api.intercept = ({ verb, plural }) => {
      if (verb === "list" && plural === "kafkatopics") throw unavailable();
    };
    await harness.start();
    await harness.pass(10_000);
    expect(await harness.directories.names()).toEqual(["orphan"]);
  });

  test("leaves alone what has come since it listed", async () => {
    await harness.start();
    let isLate = true;
    const list = harness.api.list.bind(harness.api);
    // The sweep's list is answered before the topic is made, and looked at after.
    harness.api.list = async (resource, query) => {
      const answer = await list(resource, query);
      if (isLate && query?.limit === undefined && resource.plural === "kafkatopics") {
        isLate = false;
        void harness.createTopic("late");
        await vi.waitUntil(() => harness.directories.find("late"), { timeout: 60_000 });
      }
      return answer;
    };
    await harness.pass(302_000);
    expect(isLate).toBe(false);
    expect(await harness.directories.names()).toEqual(["late"]);
    expect(readyOf(harness.topic("late"))).toMatch(/^True/);
  });

  test("takes away what users have left who went while no operator was there", async () => {
    const operator = await harness.start();
    const acls = [{ resource: { type: "topic", name: "x" }, operations: ["Read"] }];
    for (const name of ["alice", "bob"]) {
      await harness.createUser(name, {
        authentication: { type: "scram-sha-512" },
        authorization: { type: "simple", acls },
      });
    }
    const everybody = { entity: { user: null, clientId: "app" }, limits: { request_percentage: 9 } };
    await harness.credentials.update((content) => ({ ...content, quotas: [...content.quotas, everybody] }));
    await operator.stop();
    await harness.api.delete(KAFKA_USERS, ref("alice"));
    const labels = { "app.kubernetes.io/managed-by": "kaas-operator", "kaas.rs/user": "alice" };
    await harness.api.create(SECRETS, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { ...ref("alice-kafka-tls"), labels },
    });
    await harness.start();
    const credentials = await harness.credentials.read();
    expect(credentials?.users.map(({ name }) => name)).toEqual(["bob"]);
    expect(credentials?.quotas).toEqual([everybody]);
    expect((await harness.acls.read())?.acls.map(({ principal }) => principal)).toEqual(["User:bob"]);
    expect(harness.api.all(SECRETS).map(({ metadata }) => metadata.name)).toEqual(["bob-kafka-credentials"]);
  });

  test("removes nothing while the volume has no cluster", async () => {
    const bare = await OperatorHarness.create({ hasCluster: false });
    const other = { name: "t", id: ID, partitionCount: 1, overrides: {}, placement: new Map<number, string>() };
    await bare.directories.put({ ...other, keptFor: "uid of a cluster that was" });
    await bare.credentials.update((content) => ({
      ...content,
      quotas: [{ entity: { user: "x" }, limits: { request_percentage: 1 } }],
    }));
    await bare.start();
    expect(await bare.directories.names()).toEqual(["t"]);
    expect((await bare.credentials.read())?.quotas).toHaveLength(1);
    await bare.stop();
  });
});

describe("watches", () => {
  test("that are cut hide nothing: what went meanwhile is removed", async () => {
    await harness.start();
    for (const name of ["a", "b"]) await harness.createTopic(name);
    harness.api.endWatches();
    await harness.api.delete(KAFKA_TOPICS, ref("a"));
    await harness.pass(4_000);
    expect(await harness.directories.names()).toEqual(["b"]);
  });
});

describe("leadership", () => {
  test("has one, and passes to the other with all that is to be done", async () => {
    const first = await harness.start();
    const second = await harness.start();
    expect([first.leads, second.leads]).toEqual([true, false]);
    await first.stop();
    await harness.pass(6_000);
    expect(second.leads).toBe(true);
    await harness.createTopic("orders");
    expect(readyOf(harness.topic("orders"))).toMatch(/^True/);
  });

  test("that is lost ends all work", async () => {
    const operator = await harness.start();
    harness.api.intercept = ({ plural }) => {
      if (plural === "leases") throw unavailable();
    };
    await harness.pass(20_000);
    expect(operator.leads).toBe(false);
    harness.api.intercept = ({ plural }) => {
      if (plural === "leases") throw unavailable();
    };
    await harness.createTopic("orders");
    expect(await harness.directories.names()).toEqual([]);
    harness.api.intercept = () => {};
    await harness.pass(20_000);
    expect(operator.leads).toBe(true);
    expect(readyOf(harness.topic("orders"))).toMatch(/^True/);
  });
});

function unavailable(): KubernetesError {
  return new KubernetesError("in memory", { code: 503, reason: "ServiceUnavailable", message: "not now" });
}
