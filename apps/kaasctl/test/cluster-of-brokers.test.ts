import { Kafka, logLevel } from "kafkajs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EmbeddedCluster } from "../../broker/test/embedded-cluster.js";
import { runKaasctl } from "../src/run.js";
import { commitOffsets } from "./commit-offsets.js";
import { testSurroundings } from "./test-surroundings.js";

const GROUPS = ["readers-0", "readers-1", "readers-2", "readers-3", "readers-4", "readers-5"];

let cluster: EmbeddedCluster;

beforeAll(async () => {
  cluster = await EmbeddedCluster.start(3);
  await cluster.createTopic("orders", 6);
  const kafka = new Kafka({ brokers: cluster.bootstrap, logLevel: logLevel.NOTHING });
  const producer = kafka.producer();
  await producer.connect();
  const messages = Array.from({ length: 12 }, (_, n) => ({ value: `value ${n}`, partition: n % 6 }));
  await producer.send({ topic: "orders", messages });
  await producer.disconnect();
  for (const group of GROUPS) await commitOffsets(cluster.bootstrap, group, "orders", { 4: 1 });
}, 120_000);

afterAll(() => cluster.close());

async function run(
  nodeId: number,
  ...args: string[]
): Promise<{ readonly code: number; readonly result: unknown; readonly errors: string }> {
  const { surroundings, text, errors } = testSurroundings();
  const address = ["--bootstrap-server", cluster.bootstrap[nodeId] ?? ""];
  const code = await runKaasctl([...args, "-o", "json", ...address], surroundings);
  return { code, result: text() === "" ? undefined : JSON.parse(text()), errors: errors() };
}

test("any broker tells who there is and who leads what", async () => {
  for (const nodeId of [0, 1, 2]) {
    const { code, result } = await run(nodeId, "brokers");
    expect([code, result]).toMatchObject([0, [0, 1, 2].map((id) => ({ nodeId: id, partitions: 2, isFenced: false }))]);
    const { result: rows } = await run(nodeId, "assignment", "show", "orders");
    expect(rows).toMatchObject([0, 1, 2, 0, 1, 2].map((leader, partition) => ({ partition, leader, leaderEpoch: 0 })));
  }
});

test("leaders and coordinators are found wherever they are", async () => {
  const { code, result, errors } = await run(1, "topic", "describe", "orders");
  expect([code, errors]).toEqual([0, ""]);
  const row = { highWatermark: 2, sizeBytes: expect.any(Number) };
  expect(result).toMatchObject({ partitions: [0, 1, 2, 3, 4, 5].map((partition) => ({ partition, ...row })) });
  for (const group of GROUPS) {
    const { result: shown } = await run(2, "offsets", "show", group);
    expect(shown).toMatchObject({ group, offsets: [{ partition: 4, offset: 1, highWatermark: 2, lag: 1 }] });
  }
});

test("a broker that drains leads nothing, and one that is gone costs only what it led", async () => {
  const drained = cluster.member(2);
  drained.isFenced = true;
  await cluster.assign({ partition: (_topic, partition) => partition % 2, groupSlot: (slot) => slot % 2 });
  expect((await run(0, "brokers")).result).toMatchObject([
    { nodeId: 0, partitions: 3 },
    { nodeId: 1, partitions: 3 },
    { nodeId: 2, partitions: 0, isFenced: true },
  ]);
  const gone = cluster.member(1);
  await gone.broker.close();
  const { code, result, errors } = await run(0, "topic", "describe", "orders");
  expect([code, errors]).toEqual([
    1,
    expect.stringMatching(/^kaasctl: broker 1: cannot reach 127\.0\.0\.1:\d+: connection/),
  ]);
  const sizes = (result as { partitions: { sizeBytes: number | null }[] }).partitions.map(({ sizeBytes }) => sizeBytes);
  expect(sizes).toEqual([expect.any(Number), null, expect.any(Number), null, expect.any(Number), null]);
  gone.isLost = true;
});
