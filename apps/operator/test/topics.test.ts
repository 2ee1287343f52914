import { logConfigOf, type PartitionLog } from "@kaas/core";
import { KAFKA_CLUSTERS, KAFKA_TOPICS } from "@kaas/k8s";
import { openVolume } from "@kaas/storage";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EVENTS } from "../src/kubernetes/resources.js";
import { NAMESPACE, OperatorHarness, readyOf } from "./operator-harness.js";

const ref = (name: string) => ({ name, namespace: NAMESPACE });
const V4 = /^[A-Za-z0-9_-]{22}$/;
const STRANGE_ID = "BBBBBBBBBBBBBBBBBBBBBB";

let harness: OperatorHarness;
beforeEach(async () => {
  harness = await OperatorHarness.create();
});
afterEach(() => harness.stop());

const spec = (name: string, change: object) =>
  harness.api.patch(KAFKA_TOPICS, ref(name), { type: "merge", object: { spec: change } }).then(() => harness.settle());

describe("a new topic", () => {
  test("gets an id, directories and its configuration, and says so", async () => {
    await harness.start();
    await harness.createTopic("orders", { partitions: 2, config: { "retention.ms": 1000, preallocate: true } });
    const { status } = harness.topic("orders") ?? {};
    expect(status).toMatchObject({ topicName: "orders", partitionCount: 2, observedGeneration: 1 });
    expect(status?.topicId).toMatch(V4);
    expect(Buffer.from(status?.topicId ?? "", "base64url")[6]).toSatisfy((byte: number) => byte >> 4 === 4);
    expect(await harness.directories.find("orders")).toMatchObject({
      id: status?.topicId,
      partitionCount: 2,
      overrides: { "retention.ms": "1000", preallocate: "true" },
      keptFor: harness.cluster()?.metadata.uid,
    });
    expect(readyOf(harness.topic("orders"))).toBe("True Ready: 2 partitions on data, fast");
    expect(harness.api.all(EVENTS)).toContainEqual(expect.objectContaining({ reason: "Ready", type: "Normal" }));
  });

  test("has its own name in Kafka where it says one", async () => {
    await harness.start();
    await harness.createTopic("orders", { topicName: "Orders_V1" });
    expect(await harness.directories.names()).toEqual(["Orders_V1"]);
  });

  test("that was there before the operator is found by it", async () => {
    await harness.createTopic("orders");
    await harness.start();
    expect(readyOf(harness.topic("orders"))).toMatch(/^True/);
  });

  test("is looked at again after 300 s, and made right again", async () => {
    await harness.start();
    await harness.createTopic("orders");
    await harness.fileSystem.unlink("/data/orders/.config.json");
    await harness.pass(299_000);
    expect((await harness.directories.find("orders"))?.hasConfig).toBe(false);
    await harness.pass(2_000);
    expect((await harness.directories.find("orders"))?.hasConfig).toBe(true);
  });

  test("costs nothing more once it is made", async () => {
    await harness.start();
    await harness.createTopic("orders");
    const writes = () => harness.api.calls.filter(({ verb, plural }) => verb !== "watch" && plural === "kafkatopics");
    const before = writes().length;
    await harness.pass(301_000);
    // The sweep lists; nothing is written.
    expect(
      writes()
        .slice(before)
        .filter(({ verb }) => verb !== "list"),
    ).toEqual([]);
  });
});

describe("partitions", () => {
  test("are placed where the fewest are, once", async () => {
    await harness.start();
    await harness.createTopic("orders", { partitions: 4 });
    const volumes = () => harness.topic("orders")?.status?.volumeAssignments?.map(({ volume }) => volume);
    expect(volumes()).toEqual(["data", "fast", "data", "fast"]);
    await spec("orders", { partitions: 5, storage: { volumes: ["fast"] } });
    expect(volumes()).toEqual(["data", "fast", "data", "fast", "fast"]);
    expect(await harness.names("/fast/orders")).toEqual([".topic-id.json", "1", "3", "4"]);
  });

  test("go to volumes by labels", async () => {
    const volumes = [{ name: "fast", labels: { disk: "ssd" } }];
    await harness.api.patch(KAFKA_CLUSTERS, ref("kaas"), { type: "merge", object: { spec: { volumes } } });
    await harness.start();
    await harness.createTopic("orders", {
      partitions: 2,
      storage: { volumeSelector: { matchLabels: { disk: "ssd" } } },
    });
    expect(readyOf(harness.topic("orders"))).toBe("True Ready: 2 partitions on fast");
    await harness.createTopic("other", { storage: { volumeSelector: { matchLabels: { disk: "hdd" } } } });
    expect(readyOf(harness.topic("other"))).toMatch(/^False UnknownVolume: .*disk=hdd.*mounted are data, fast/);
    const labelled = [...volumes, { name: "data", labels: { disk: "hdd" } }];
    await harness.api.patch(KAFKA_CLUSTERS, ref("kaas"), { type: "merge", object: { spec: { volumes: labelled } } });
    await harness.settle();
    expect(readyOf(harness.topic("other"))).toBe("True Ready: 1 partition on data");
  });

  test("do not become fewer: it is refused, and nothing is touched", async () => {
    await harness.start();
    await harness.createTopic("orders", { partitions: 3 });
    const before = await harness.fileSystem.readFile("/data/orders/.config.json");
    // As if the API server had let it pass.
    const { topicId } = harness.topic("orders")?.status ?? {};
    const status = { partitionCount: 5 };
    await harness.api.patch(
      KAFKA_TOPICS,
      ref("orders"),
      { type: "merge", object: { status } },
      { subresource: "status" },
    );
    await spec("orders", { partitions: 4, config: { "retention.ms": "7" } });
    expect(readyOf(harness.topic("orders"))).toMatch(
      /^False PartitionDecreaseRefused: spec.partitions is 4, but the topic has 5/,
    );
    expect(await harness.fileSystem.readFile("/data/orders/.config.json")).toEqual(before);
    expect(harness.topic("orders")?.status).toMatchObject({ topicId, partitionCount: 5 });
  });

  test("that the volume has more of are not given up either", async () => {
    for (const path of ["/data/orders", "/data/orders/0", "/data/orders/4"])
      await harness.fileSystem.makeDirectory(path);
    await harness.start();
    await harness.createTopic("orders", { partitions: 2 });
    expect(readyOf(harness.topic("orders"))).toMatch(/^False PartitionDecreaseRefused/);
    expect(await harness.names("/data/orders")).toEqual(["0", "4"]);
    expect(harness.topic("orders")?.status?.topicId).toBeUndefined();
  });
});

describe("what cannot be", () => {
  test.each([
    [{ config: { "retention.mz": "1" } }, /InvalidConfig: .*Did you mean retention.ms/],
    [{ config: { "segment.bytes": "big" } }, /InvalidConfig: .*segment.bytes/],
    [{ storage: { volumes: ["slow"] } }, /UnknownVolume: .*no volume slow; mounted are data, fast/],
  ])("%j is told in words, and nothing is made", async (wanted, message) => {
    await harness.start();
    await harness.createTopic("orders", wanted);
    expect(readyOf(harness.topic("orders"))).toMatch(message);
    expect(await harness.directories.names()).toEqual([]);
    expect(harness.api.all(EVENTS)).toContainEqual(expect.objectContaining({ type: "Warning" }));
  });

  test("a name that another one has; it is had when that one goes", async () => {
    await harness.start();
    await harness.createTopic("orders");
    await harness.createTopic("other", { topicName: "orders" });
    expect(readyOf(harness.topic("other"))).toMatch(
      /^False NameTaken: topic orders is already that of KafkaTopic orders/,
    );
    await harness.api.delete(KAFKA_TOPICS, ref("orders"));
    await harness.settle();
    expect(readyOf(harness.topic("other"))).toMatch(/^True/);
    expect((await harness.directories.find("orders"))?.id).toBe(harness.topic("other")?.status?.topicId);
  });

  test("a volume that fails is told, and tried again until it works", async () => {
    await harness.start();
    await harness.fileSystem.makeDirectory("/data/orders");
    const handle = await harness.fileSystem.open("/data/orders/.topic-id.json", "create");
    await handle.close();
    await harness.createTopic("orders");
    expect(readyOf(harness.topic("orders"))).toMatch(/^False Failed: look at the volume: .*topic-id.json/);
    await harness.fileSystem.unlink("/data/orders/.topic-id.json");
    await harness.pass(1_100);
    expect(readyOf(harness.topic("orders"))).toMatch(/^True/);
  });
});

describe("partitions that are to be moved to another volume", () => {
  const annotate = (value: string | null) =>
    harness.api
      .patch(KAFKA_TOPICS, ref("orders"), {
        type: "merge",
        object: { metadata: { annotations: { "kaas.rs/migrate-to": value } } },
      })
      .then(() => harness.settle());
  const migration = () => {
    const found = harness.topic("orders")?.status?.conditions?.find(({ type }) => type === "Migration");
    return found && `${found.status} ${found.reason}: ${found.message}`;
  };
  const volumes = () => harness.topic("orders")?.status?.volumeAssignments?.map(({ volume }) => volume);

  /** A broker that leads all partitions of the topic, until what it is to move has been moved. */
  async function carriedOut(): Promise<void> {
    const { fileSystem, clock } = harness;
    const broker = { directory: "/data", furtherDirectories: ["/fast"], fileSystem, clock } as const;
    const volume = await openVolume({ ...broker, sharing: "shared", brokerName: `kaas-${++brokers}` });
    const [topic] = [...volume.topics.topics()];
    const { id: topicId = "", partitionCount = 0 } = topic ?? {};
    const { moves = new Map() } = (await harness.directories.find("orders")) ?? {};
    const epochs = new Map<PartitionLog, number>();
    for (let partition = 0; partition < partitionCount; partition++) {
      const log = await volume.logs.open({ topic: "orders", topicId, partition }, logConfigOf({}));
      if (moves.has(partition)) epochs.set(log, log.leaderEpoch);
    }
    for (const [log, epoch] of epochs) {
      while (log.leaderEpoch === epoch) await new Promise((resolve) => setImmediate(resolve));
    }
    await volume.close();
    await harness.pass(2_000);
  }
  let brokers = 0;

  test("are moved by the brokers, and then lie there", async () => {
    await harness.start();
    await harness.createTopic("orders", { partitions: 3 });
    await carriedOut();
    expect(volumes()).toEqual(["data", "fast", "data"]);
    await annotate("fast");
    expect(migration()).toBe("False Progressing: 1 of 3 partitions on fast; still to be moved by their leaders: 0, 2");
    await carriedOut();
    expect(migration()).toBe("True Moved: 3 partitions on fast, as wanted");
    expect(volumes()).toEqual(["fast", "fast", "fast"]);
    expect(await harness.directories.find("orders")).not.toHaveProperty("moves");
    const reasons = harness.api.all(EVENTS).map((event) => (event as unknown as { reason: string }).reason);
    expect(reasons).toEqual(expect.arrayContaining(["Progressing", "Moved"]));
    await annotate("0=data, 2=data");
    expect((await harness.directories.find("orders"))?.moves).toEqual(
      new Map([
        [0, null],
        [2, null],
      ]),
    );
    await carriedOut();
    expect(volumes()).toEqual(["data", "fast", "data"]);
    await annotate(null);
    expect(migration()).toBeUndefined();
    expect(volumes()).toEqual(["data", "fast", "data"]);
  });

  test("stay where they are once the annotation is taken away", async () => {
    await harness.start();
    await harness.createTopic("orders");
    await annotate("fast");
    await annotate(null);
    expect(migration()).toBeUndefined();
    await carriedOut();
    expect(volumes()).toEqual(["data"]);
  });

  test.each([
    ["", "Malformed"],
    ["0=fast,0=data", "Malformed"],
    ["0=fast,x", "Malformed"],
    ["slow", "UnknownVolume"],
    ["0=slow", "UnknownVolume"],
    ["7=fast", "UnknownPartition"],
  ])("are told of a wish that makes no sense: %j", async (value, reason) => {
    await harness.start();
    await harness.createTopic("orders");
    const before = await harness.fileSystem.readFile("/data/orders/.config.json");
    await annotate(value);
    expect(migration()).toMatch(new RegExp(`^False ${reason}: kaas.rs/migrate-to: .*Nothing is moved$`));
    expect(readyOf(harness.topic("orders"))).toMatch(/^True/);
    expect(await harness.fileSystem.readFile("/data/orders/.config.json")).toEqual(before);
  });

  test("that are there already need nobody", async () => {
    await harness.start();
    await harness.createTopic("orders");
    await annotate("0=data");
    expect(migration()).toBe("True Moved: 1 partition on data, as wanted");
  });
});

describe("directories that are there", () => {
  test("are adopted when nobody has stamped them, and their data stays", async () => {
    for (const path of ["/data/orders", "/data/orders/0"]) await harness.fileSystem.makeDirectory(path);
    const log = await harness.fileSystem.open("/data/orders/0/00000001-00000000000000000000.log", "create");
    await log.close();
    await harness.start();
    await harness.createTopic("orders");
    expect((await harness.directories.find("orders"))?.id).toBe(harness.topic("orders")?.status?.topicId);
    expect(await harness.names("/data/orders/0")).toHaveLength(1);
  });

  test("of a single node are taken over with their id", async () => {
    await harness.directories.put(topicOf("orders", undefined));
    await harness.start();
    await harness.createTopic("orders");
    expect(harness.topic("orders")?.status?.topicId).toBe(STRANGE_ID);
    expect((await harness.directories.find("orders"))?.keptFor).toBe(harness.cluster()?.metadata.uid);
  });

  test("of a cluster whose resources were lost are taken over with their id", async () => {
    await harness.directories.put(topicOf("orders", "uid of the cluster before"));
    await harness.start();
    await harness.createTopic("orders");
    expect(harness.topic("orders")?.status?.topicId).toBe(STRANGE_ID);
  });

  test("are set aside when they are another incarnation's", async () => {
    await harness.directories.put(topicOf("orders", harness.cluster()?.metadata.uid));
    await harness.createTopic("orders");
    await harness.start();
    const { topicId } = harness.topic("orders")?.status ?? {};
    expect(topicId).not.toBe(STRANGE_ID);
    expect((await harness.directories.find("orders"))?.id).toBe(topicId);
  });
});

describe("a topic that goes", () => {
  test("is removed from the volume, and comes again as another", async () => {
    await harness.start();
    await harness.createTopic("orders");
    const { topicId } = harness.topic("orders")?.status ?? {};
    await harness.api.delete(KAFKA_TOPICS, ref("orders"));
    await harness.settle();
    expect(await harness.names("/data")).toEqual(["__cluster"]);
    expect(await harness.names("/fast")).toEqual([]);
    await harness.createTopic("orders");
    expect(harness.topic("orders")?.status?.topicId).toMatch(V4);
    expect(harness.topic("orders")?.status?.topicId).not.toBe(topicId);
  });

  test("during its own turn leaves nothing either", async () => {
    await harness.start();
    const make = harness.fileSystem.rename.bind(harness.fileSystem);
    let isLate = true;
    harness.fileSystem.rename = async (from, to) => {
      if (isLate && to === "/data/orders") {
        isLate = false;
        await harness.api.delete(KAFKA_TOPICS, ref("orders"));
        // The removal has its turn first, and finds nothing.
        for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
      }
      return make(from, to);
    };
    await harness.createTopic("orders");
    expect(isLate).toBe(false);
    expect(await harness.names("/data")).toEqual(["__cluster"]);
  });

  test("is left as it is while it is being deleted", async () => {
    await harness.createTopic("orders", {}, { finalizers: ["example.com/kept"] });
    await harness.api.delete(KAFKA_TOPICS, ref("orders"));
    expect(harness.topic("orders")?.metadata.deletionTimestamp).toBeDefined();
    const before = harness.api.calls.length;
    await harness.start();
    const about = harness.api.calls.slice(before).filter(({ plural }) => plural === "kafkatopics");
    expect(about.map(({ verb }) => verb).filter((verb) => !["list", "watch"].includes(verb))).toEqual([]);
    expect(await harness.directories.names()).toEqual([]);
  });

  test("leaves its data when the cluster has gone before", async () => {
    await harness.start();
    await harness.createTopic("orders");
    await harness.api.delete(KAFKA_CLUSTERS, ref("kaas"));
    await harness.settle();
    await harness.api.delete(KAFKA_TOPICS, ref("orders"));
    await harness.pass(301_000);
    expect(await harness.directories.names()).toEqual(["orders"]);
  });

  test("while it was seen to be recreated within one moment is another", async () => {
    const operator = await harness.start();
    await harness.createTopic("orders");
    const { topicId } = harness.topic("orders")?.status ?? {};
    await operator.stop();
    await harness.api.delete(KAFKA_TOPICS, ref("orders"));
    await harness.createTopic("orders");
    await harness.start();
    expect(harness.topic("orders")?.status?.topicId).not.toBe(topicId);
    expect((await harness.directories.find("orders"))?.id).toBe(harness.topic("orders")?.status?.topicId);
  });
});

function topicOf(name: string, keptFor: string | undefined) {
  return { name, id: STRANGE_ID, partitionCount: 1, overrides: {}, placement: new Map<number, string>(), keptFor };
}
