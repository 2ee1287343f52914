import type { TopicDescription } from "@kaas/core";
import type { KafkaTopic } from "@kaas/operator-api";
import { beforeEach, describe, expect, test } from "vitest";
import type { KubernetesObject } from "../api/kubernetes-object.js";
import { KAFKA_TOPICS } from "../custom-resources.js";
import { FakeKubernetesApi } from "../testing/fake-kubernetes-api.js";
import { TestClock } from "../testing/test-clock.js";
import { objectNameOf } from "./object-name.js";
import { KafkaTopicWriter } from "./topic-writer.js";

const ID = "AAAAAAAAAAAAAAAAAAAAAQ";
const described = (name: string, id = ID): TopicDescription => ({ name, id, partitionCount: 1, overrides: {} });
const ref = (name: string) => ({ namespace: "events", name });

let clock: TestClock;
let api: FakeKubernetesApi;
let writer: KafkaTopicWriter;
beforeEach(() => {
  clock = new TestClock();
  // As the CustomResourceDefinition has it.
  const admit = (object: KubernetesObject, before: KubernetesObject | undefined): KubernetesObject | string => {
    const was = (before as KafkaTopic | undefined)?.spec.partitions ?? 0;
    return (object as KafkaTopic).spec.partitions < was ? "partitions may not decrease" : object;
  };
  api = new FakeKubernetesApi({ clock, admit });
  writer = new KafkaTopicWriter({ api, namespace: "events", clock });
});

const get = (name: string) => api.get(KAFKA_TOPICS, ref(name));
const status = (name: string, topicId: string) =>
  api.patch(KAFKA_TOPICS, ref(name), { type: "merge", object: { status: { topicId } } }, { subresource: "status" });
const byHand = (name: string, spec: object = {}) =>
  api.create(
    KAFKA_TOPICS,
    {
      apiVersion: "kaas.rs/v1alpha1",
      kind: "KafkaTopic",
      metadata: ref(name),
      spec: { partitions: 1, ...spec },
    },
    { fieldManager: "kubectl" },
  );

describe("create", () => {
  test("makes a KafkaTopic of the name", async () => {
    await writer.create("orders", 3, { "retention.ms": "1000" });
    expect((await get("orders")).spec).toEqual({ partitions: 3, config: { "retention.ms": "1000" } });
  });

  test("names one that Kubernetes cannot hold", async () => {
    await writer.create("Order_Lines", 1, {});
    expect((await get(objectNameOf("Order_Lines"))).spec).toEqual({ topicName: "Order_Lines", partitions: 1 });
  });

  test("refuses a topic that exists, under whatever name", async () => {
    await writer.create("orders", 1, {});
    await expect(writer.create("orders", 1, {})).rejects.toMatchObject({ code: "KAAS_TOPIC_CONFLICT" });
    await byHand("something-else", { topicName: "other" });
    const knowing = new KafkaTopicWriter({ api, namespace: "events", clock, locate: () => "something-else" });
    await expect(knowing.create("other", 1, {})).rejects.toMatchObject({ code: "KAAS_TOPIC_CONFLICT" });
  });

  test("does not take a watch that lags for what there is", async () => {
    const lagging = new KafkaTopicWriter({ api, namespace: "events", clock, locate: () => "orders" });
    await lagging.create("orders", 2, {});
    await lagging.create("lines", 3, {});
    expect((await api.list(KAFKA_TOPICS)).items.map(({ spec }) => spec.partitions)).toEqual([3, 2]);
  });

  test("finds a way round a KafkaTopic that has the name and stands for another topic", async () => {
    await byHand("orders", { topicName: "Something" });
    await writer.create("orders", 2, {});
    const { items } = await api.list(KAFKA_TOPICS);
    expect(items.map(({ spec }) => spec.topicName)).toEqual(["Something", "orders"]);
    await expect(writer.create("orders", 2, {})).rejects.toMatchObject({ code: "KAAS_TOPIC_CONFLICT" });
    await writer.configure(described("orders"), { "retention.ms": "1" });
    await writer.delete(described("orders"));
    expect((await api.list(KAFKA_TOPICS)).items).toHaveLength(1);
  });

  test("says in time that the API server does not answer", async () => {
    api.fail({ verb: "create" }, "hang");
    const outcome = expect(writer.create("orders", 1, {}, 500)).rejects.toMatchObject({
      code: "KAAS_KUBERNETES_UNREACHABLE",
      message: expect.stringContaining("the API server cannot be reached: no answer within 500 ms"),
    });
    await clock.run(500);
    await outcome;
  });

  test("passes on what the API server does not allow", async () => {
    api.fail({ verb: "create" }, { code: 403, reason: "Forbidden", message: "cannot create resource kafkatopics" });
    await expect(writer.create("orders", 1, {})).rejects.toMatchObject({
      code: "KAAS_KUBERNETES_FORBIDDEN",
      message: expect.stringContaining("cannot create resource kafkatopics"),
    });
  });
});

describe("delete", () => {
  test("removes the KafkaTopic, also one that a person has called otherwise", async () => {
    await byHand("my-orders", { topicName: "Orders" });
    await writer.delete(described("Orders"));
    await expect(get("my-orders")).rejects.toMatchObject({ status: 404 });
  });

  test("leaves a topic alone that was created again", async () => {
    await byHand("orders");
    await status("orders", "BBBBBBBBBBBBBBBBBBBBBQ");
    await expect(writer.delete(described("orders"))).rejects.toMatchObject({ code: "KAAS_TOPIC_CONFLICT" });
    expect((await get("orders")).metadata.name).toBe("orders");
  });

  test("refuses one that is not there", async () => {
    await expect(writer.delete(described("orders"))).rejects.toMatchObject({ code: "KAAS_TOPIC_CONFLICT" });
    await byHand("orders");
    api.fail({ verb: "delete" }, { code: 409, reason: "Conflict", message: "another uid" });
    await expect(writer.delete(described("orders"))).rejects.toMatchObject({ code: "KAAS_TOPIC_CONFLICT" });
  });
});

describe("partitions", () => {
  test("are raised, and nothing else is touched", async () => {
    await byHand("orders", { partitions: 2, config: { "retention.ms": 5 } });
    await writer.createPartitions(described("orders"), 4);
    expect((await get("orders")).spec).toEqual({ partitions: 4, config: { "retention.ms": 5 } });
    await writer.createPartitions(described("orders"), 6);
    expect((await get("orders")).spec.partitions).toBe(6);
  });

  test("are not lowered, whoever was faster", async () => {
    await byHand("orders", { partitions: 4 });
    await expect(writer.createPartitions(described("orders"), 3)).rejects.toMatchObject({
      code: "KAAS_TOPIC_CONFLICT",
    });
    api.fail({ verb: "patch" }, { code: 422, reason: "Invalid", message: "partitions may not decrease" });
    await expect(writer.createPartitions(described("orders"), 5)).rejects.toMatchObject({
      code: "KAAS_KUBERNETES_REFUSED",
    });
  });
});

describe("config", () => {
  test("is replaced as a whole, also what a person has written", async () => {
    await byHand("orders", { config: { a: "1", b: 2, c: true } });
    await writer.configure(described("orders"), { b: "2", c: "false", d: "4" });
    expect((await get("orders")).spec).toEqual({ partitions: 1, config: { b: 2, c: "false", d: "4" } });
    await writer.configure(described("orders"), {});
    expect((await get("orders")).spec.config).toEqual({});
  });

  test("of what is named alone is replaced, whatever others have set that the caller has not seen", async () => {
    await byHand("orders", { config: { a: "1", b: 2, unseen: "3" } });
    await writer.configure(described("orders"), { a: "5", b: "4", "seen.and.gone": "6" }, undefined, ["a", "b"]);
    expect((await get("orders")).spec.config).toEqual({ a: "5", b: "4", unseen: "3" });
    await writer.configure(described("orders"), { a: "5" }, undefined, ["b"]);
    expect((await get("orders")).spec.config).toEqual({ a: "5", unseen: "3" });
  });

  test("is not written where it is so already", async () => {
    await byHand("orders", { config: { a: 1 } });
    await writer.configure(described("orders"), { a: "1" });
    expect(api.calls.some(({ verb }) => verb === "patch")).toBe(false);
  });

  test("is worked out again when somebody else was faster, and no more than so often", async () => {
    await byHand("orders", { config: { a: "1" } });
    const conflict = { code: 409, reason: "Conflict", message: "modified" };
    api.fail({ verb: "patch" }, conflict, 2);
    await writer.configure(described("orders"), { b: "1" });
    expect((await get("orders")).spec.config).toEqual({ b: "1" });
    api.fail({ verb: "patch" }, conflict, 100);
    await expect(writer.configure(described("orders"), { c: "1" })).rejects.toMatchObject({
      code: "KAAS_KUBERNETES_CONFLICT",
    });
  });

  test("takes no longer than it may over all its calls", async () => {
    await byHand("orders");
    api.fail({ verb: "patch" }, { code: 409, reason: "Conflict", message: "modified" });
    const get = api.get.bind(api);
    api.get = async (...args) => {
      clock.freeze(400);
      return await get(...args);
    };
    await expect(writer.configure(described("orders"), { a: "1" }, 700)).rejects.toMatchObject({
      code: "KAAS_KUBERNETES_UNREACHABLE",
      message: expect.stringContaining("within 700 ms"),
    });
  });
});
