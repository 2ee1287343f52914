import { silentLog } from "@kaas/core";
import type { KafkaTopic } from "@kaas/operator-api";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { KAFKA_TOPICS } from "../custom-resources.js";
import { FakeKubernetesApi } from "../testing/fake-kubernetes-api.js";
import { evenRandom, TestClock } from "../testing/test-clock.js";
import { TopicWatch } from "./topic-watch.js";
import type { WatchedTopic } from "./watched-topic.js";

const ID = "AAAAAAAAAAAAAAAAAAAAAQ";

let clock: TestClock;
let api: FakeKubernetesApi;
let watch: TopicWatch;
let told: string[];
let last: Map<string, WatchedTopic>;
beforeEach(() => {
  clock = new TestClock();
  api = new FakeKubernetesApi({ clock });
  told = [];
  last = new Map();
  const listener = {
    topicChanged: (topic: WatchedTopic) => {
      last.set(topic.name, topic);
      told.push(`${topic.name}: ${topic.partitions}`);
    },
    topicDeleted: ({ name, uid }: WatchedTopic) => void told.push(`${name} deleted (${last.get(name)?.uid === uid})`),
    onSynced: () => void told.push("synced"),
  };
  watch = new TopicWatch({ api, namespace: "events", listener, clock, random: evenRandom, log: silentLog });
});
afterEach(() => watch.stop());

const ref = (name: string) => ({ namespace: "events", name });
const create = (name: string, spec: Partial<KafkaTopic["spec"]> = {}, annotations?: Record<string, string>) =>
  api.create(KAFKA_TOPICS, {
    apiVersion: "kaas.rs/v1alpha1",
    kind: "KafkaTopic",
    metadata: { ...ref(name), annotations },
    spec: { partitions: 1, ...spec },
  });
const edit = (name: string, object: object) => api.patch(KAFKA_TOPICS, ref(name), { type: "merge", object });
const status = (name: string, object: object) =>
  api.patch(KAFKA_TOPICS, ref(name), { type: "merge", object: { status: object } }, { subresource: "status" });
const remove = (name: string) => api.delete(KAFKA_TOPICS, ref(name));

async function synced(...expected: string[]): Promise<void> {
  watch.start();
  await clock.run(0);
  expect(told).toEqual([...expected, "synced"]);
  told.length = 0;
}

describe("what is told", () => {
  test("is all that a broker needs", async () => {
    await create(
      "orders",
      { topicName: "Orders", partitions: 2, config: { a: 1, b: true, c: "x" } },
      { "kaas.rs/migrate-to": "fast" },
    );
    await status("orders", { topicId: ID, volumeAssignments: [{ partition: 0, volume: "slow" }] });
    await synced("Orders: 2");
    expect(watch.state.topic("Orders")).toEqual({
      name: "Orders",
      objectName: "orders",
      uid: "uid-1",
      partitions: 2,
      config: { a: "1", b: "true", c: "x" },
      volumes: new Map([[0, "slow"]]),
      migrateTo: "fast",
      topicId: ID,
    });
  });

  test("comes once, however often it is seen", async () => {
    await create("a");
    await synced("a: 1");
    await edit("a", { metadata: { labels: { x: "y" } } });
    await status("a", { conditions: [] });
    api.compact();
    api.breakWatches();
    await clock.run(10_000);
    expect(told).toEqual([]);
    await edit("a", { spec: { partitions: 3 } });
    await edit("a", { metadata: { annotations: { "kaas.rs/migrate-to": "fast" } } });
    await status("a", { topicId: ID });
    await edit("a", { spec: { config: { x: "1" } } });
    await status("a", { volumeAssignments: [{ partition: 0, volume: "slow" }] });
    await clock.run(0);
    expect(told).toEqual(Array(5).fill("a: 3"));
  });

  test("makes sense: an object that does not keeps what was known of it", async () => {
    await create("a", { partitions: 2 });
    await create("b", { partitions: "many" as never });
    await synced("a: 2");
    await edit("a", { spec: null });
    await clock.run(0);
    expect(told).toEqual([]);
    expect(watch.state.topic("a")?.partitions).toBe(2);
    await remove("a");
    await clock.run(0);
    expect(told).toEqual(["a deleted (true)"]);
  });
});

describe("deletion", () => {
  test("is told at once", async () => {
    await create("a");
    await synced("a: 1");
    await remove("a");
    await clock.run(0);
    expect(told).toEqual(["a deleted (true)"]);
    expect(watch.state.topic("a")).toBeUndefined();
  });

  test("that a broken watch missed is found by the next list; one that is cut short retracts nothing", async () => {
    await create("a");
    await create("b");
    await synced("a: 1", "b: 1");
    api.setReachable(false);
    await clock.run(30_000);
    api.setReachable(true);
    await remove("a");
    api.compact();
    api.fail({ verb: "list" }, { code: 500, reason: "", message: "etcd" }, 10);
    await clock.run(10_500);
    expect(told).toEqual([]);
    await clock.run(60_000);
    expect(told).toEqual(["a deleted (true)"]);
  });

  test("a topic that was created again is another one, also when nobody saw it go", async () => {
    await create("a");
    await status("a", { topicId: ID });
    await synced("a: 1");
    api.setReachable(false);
    api.setReachable(true);
    await remove("a");
    await create("a", { partitions: 4 });
    api.compact();
    await clock.run(1000);
    expect(told).toEqual(["a deleted (true)", "a: 4"]);
  });

  test("an id that is given later is no other topic, an id that changes is", async () => {
    await create("a");
    await synced("a: 1");
    await status("a", { topicId: ID });
    await clock.run(0);
    expect(told).toEqual(["a: 1"]);
    await status("a", { topicId: "BBBBBBBBBBBBBBBBBBBBBQ" });
    await clock.run(0);
    expect(told.slice(1)).toEqual(["a deleted (true)", "a: 1"]);
  });
});

describe("one name in Kafka", () => {
  test("belongs to the older of two KafkaTopics, then to the other one", async () => {
    await create("z", { topicName: "Same", partitions: 1 });
    clock.jump(2000);
    await create("a", { topicName: "Same", partitions: 9 });
    await synced("Same: 1");
    await edit("a", { spec: { partitions: 10 } });
    await clock.run(0);
    expect(told).toEqual([]);
    await remove("z");
    await clock.run(0);
    expect(told).toEqual(["Same deleted (true)", "Same: 10"]);
  });

  test("is not given to the younger one while the list that would show the older one is cut short", async () => {
    await create("z", { topicName: "Same", partitions: 1 });
    clock.jump(2000);
    await create("a", { topicName: "Same", partitions: 9 });
    const list = api.list.bind(api);
    // One object a page, and the second page fails twice.
    api.list = async (resource, query, options) => await list(resource, { ...query, limit: 1 }, options);
    let failures = 2;
    const paged = api.list;
    api.list = async (resource, query, options) => {
      if (query?.continue !== undefined && failures-- > 0) api.fail({ verb: "list" }, "unreachable");
      return await paged(resource, query, options);
    };
    watch.start();
    await clock.run(10_000);
    expect(told).toEqual(["Same: 1", "synced"]);
  });

  test("is given up when a KafkaTopic takes another one", async () => {
    await create("a", { topicName: "One" });
    await synced("One: 1");
    await edit("a", { spec: { topicName: "Two" } });
    await clock.run(0);
    expect(told).toEqual(["One deleted (true)", "Two: 1"]);
  });
});
