import { EVENTS } from "../src/kubernetes/resources.js";
import { KAFKA_CLUSTERS, KAFKA_TOPICS } from "@kaas/k8s";
import type { KafkaCluster } from "@kaas/operator-api";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NAMESPACE, OperatorHarness, readyOf } from "./operator-harness.js";

const ref = (name: string) => ({ name, namespace: NAMESPACE });
const TAKEN = /^False NamespaceTaken: this namespace is that of KafkaCluster (\w+), which came first/;

let harness: OperatorHarness;
beforeEach(async () => {
  harness = await OperatorHarness.create({ hasCluster: false });
});
afterEach(() => harness.stop());

const createOther = async () => {
  const listeners = [{ name: "plain", port: 9092, type: "internal" }];
  const other = { apiVersion: "kaas.rs/v1alpha1", kind: "KafkaCluster", metadata: ref("other"), spec: { listeners } };
  await harness.api.create(KAFKA_CLUSTERS, other as unknown as KafkaCluster);
  await harness.settle();
};
const other = () => harness.api.peek(KAFKA_CLUSTERS, ref("other"));

test("a KafkaCluster that is alone is looked at once", async () => {
  await harness.createCluster({});
  await harness.start();
  await harness.pass(4_000);
  const looks = harness.api.calls.filter(({ plural, verb }) => plural === "kafkaclusterassignments" && verb === "get");
  expect(looks).toHaveLength(1);
});

/** A cluster with a topic and a user, in a namespace that another one had first. */
async function comeSecond(): Promise<void> {
  await createOther();
  harness.clock.advance(1_000);
  await harness.createCluster({});
  await harness.start();
  await harness.createTopic("orders");
  await harness.createUser("alice", { authentication: { type: "scram-sha-512" } });
}

describe("a second KafkaCluster", () => {
  test("that came first has the namespace: its topics, users and files are left alone", async () => {
    await comeSecond();
    await harness.pass(301_000);
    expect(readyOf(harness.cluster())).toMatch(TAKEN);
    expect(readyOf(harness.topic("orders"))).toBe("no condition");
    expect(readyOf(harness.user("alice"))).toBe("no condition");
    expect(readyOf(other())).toBe("no condition");
    expect(await harness.names("/data")).toEqual(["__cluster"]);
    expect(await harness.names("/data/__cluster")).toEqual([]);
    expect(harness.api.all(EVENTS)).toContainEqual(
      expect.objectContaining({ reason: "OtherCluster", regarding: expect.objectContaining({ name: "other" }) }),
    );
  });

  test("makes room when it goes", async () => {
    await comeSecond();
    await harness.api.delete(KAFKA_CLUSTERS, ref("other"));
    await harness.settle();
    expect(readyOf(harness.cluster())).toMatch(/^True/);
    expect(readyOf(harness.topic("orders"))).toMatch(/^True/);
    expect(readyOf(harness.user("alice"))).toMatch(/^True/);
  });

  test("that comes later is told so, also where nobody else looks after it, and changes nothing", async () => {
    await harness.createCluster({});
    await harness.start();
    await harness.createTopic("orders");
    harness.clock.advance(1_000);
    await createOther();
    expect(readyOf(other())).toMatch(TAKEN);
    expect(readyOf(harness.cluster())).toMatch(/^True/);
    await harness.api.patch(KAFKA_TOPICS, ref("orders"), { type: "merge", object: { spec: { partitions: 2 } } });
    await harness.settle();
    expect(harness.topic("orders")?.status?.partitionCount).toBe(2);
    await harness.api.delete(KAFKA_TOPICS, ref("orders"));
    await harness.settle();
    expect(await harness.names("/data")).toEqual(["__cluster"]);
  });

  test("of the same second is told apart by what never changes", async () => {
    await createOther();
    await harness.createCluster({});
    await harness.start();
    const [first] = [other(), harness.cluster()].sort((a, b) =>
      (a?.metadata.uid ?? "") < (b?.metadata.uid ?? "") ? -1 : 1,
    );
    expect(readyOf(harness.cluster())).toMatch(first?.metadata.name === "kaas" ? /^True/ : TAKEN);
  });
});
