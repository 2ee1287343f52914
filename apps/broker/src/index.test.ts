import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kafka, logLevel } from "kafkajs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type RunningBroker, type StartOptions, startKafkaBroker } from "./index.js";

let brokers: RunningBroker[];
let directory: string;

beforeEach(() => {
  brokers = [];
  directory = mkdtempSync(join(tmpdir(), "kaas-embedded-"));
});

afterEach(async () => {
  await Promise.all(brokers.map((broker) => broker.close()));
  rmSync(directory, { recursive: true, force: true });
});

async function start(options?: StartOptions): Promise<RunningBroker> {
  const broker = await startKafkaBroker(options);
  brokers.push(broker);
  return broker;
}

function client(broker: RunningBroker): Kafka {
  return new Kafka({ brokers: [broker.bootstrapServers], logLevel: logLevel.NOTHING });
}

describe("an embedded broker", () => {
  test("serves a stock client: produce, and consume in a group", async () => {
    const broker = await start();
    expect(broker.bootstrapServers).toBe(`${broker.host}:${broker.port}`);
    expect(broker.clusterId).toMatch(/^[\w-]{22}$/);
    const kafka = client(broker);
    const producer = kafka.producer();
    await producer.connect();
    await producer.send({ topic: "greetings", messages: [{ key: "en", value: "hello" }] });
    await producer.disconnect();

    const consumer = kafka.consumer({ groupId: "g", maxWaitTimeInMs: 100 });
    await consumer.connect();
    await consumer.subscribe({ topic: "greetings", fromBeginning: true });
    const received = new Promise<string>((resolve) => {
      void consumer.run({ eachMessage: async ({ message }) => resolve(String(message.value)) });
    });
    expect(await received).toBe("hello");
    await consumer.disconnect();
  });

  test("takes configurations of any simple type", async () => {
    const broker = await start({
      config: { "num.partitions": 3, "auto.create.topics.enable": true, "broker.rack": "r" },
    });
    const admin = client(broker).admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic: "t" }] });
    const { topics } = await admin.fetchTopicMetadata({ topics: ["t"] });
    expect(topics[0]?.partitions).toHaveLength(3);
    await admin.disconnect();
  });

  test("in a directory finds topics, cluster id and what was set at run time again", async () => {
    const first = await start({ dataDirectory: directory });
    const admin = client(first).admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic: "t", numPartitions: 1 }] });
    const resource = { type: 4, name: "1", configEntries: [{ name: "log.retention.ms", value: "4242" }] };
    await admin.alterConfigs({ validateOnly: false, resources: [resource] });
    await admin.disconnect();
    await first.close();

    const second = await start({ dataDirectory: directory });
    expect(second.clusterId).toBe(first.clusterId);
    const again = client(second).admin();
    await again.connect();
    const { resources } = await again.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: 2, name: "t", configNames: ["retention.ms"] }],
    });
    expect(resources[0]?.configEntries[0]?.configValue).toBe("4242");
    await again.disconnect();
  });

  test("two run side by side, each a cluster of its own", async () => {
    const [one, other] = await Promise.all([start(), start()]);
    expect(one.port).not.toBe(other.port);
    expect(one.clusterId).not.toBe(other.clusterId);
  });

  test("on IPv6", async () => {
    const broker = await start({ host: "::1" });
    expect(broker.bootstrapServers).toBe(`[::1]:${broker.port}`);
  });

  test("closing twice is harmless, and nobody listens any more", async () => {
    const broker = await start();
    await Promise.all([broker.close(), broker.close()]);
    await broker.close();
    const again = await start({ port: broker.port });
    expect(again.port).toBe(broker.port);
  });
});

describe("what cannot be started", () => {
  test("a configuration that does not exist", async () => {
    await expect(startKafkaBroker({ config: { "num.partitons": 3 } })).rejects.toMatchObject({
      code: "KAAS_CONFIG_INVALID",
      message: expect.stringContaining("Did you mean num.partitions?"),
    });
  });

  test("a port that is taken; the directory is free again", async () => {
    const { port } = await start();
    await expect(startKafkaBroker({ port, dataDirectory: directory })).rejects.toMatchObject({
      code: "KAAS_LISTENER_FAILED",
    });
    await start({ dataDirectory: directory });
  });

  test("a directory that another broker has", async () => {
    await start({ dataDirectory: directory });
    await expect(startKafkaBroker({ dataDirectory: directory })).rejects.toMatchObject({ code: "KAAS_VOLUME_LOCKED" });
  });
});
