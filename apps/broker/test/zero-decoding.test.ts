import { batch, buildBatch, decodeCounts, loadCodec } from "@kaas/core/internal";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RawClient } from "../../../packages/kaas-core/test/fakes/raw-client.js";
import { type RunningBroker, startKafkaBroker } from "../src/index.js";
import { temporaryDirectory } from "./spawn-broker.js";

const PRODUCE = 0;
const FETCH = 1;
const LIST_OFFSETS = 2;
const CREATE_TOPICS = 19;

const directory = temporaryDirectory();
let broker: RunningBroker;
let client: RawClient;
let correlationId = 0;

beforeAll(async () => {
  await loadCodec(batch.Compression.ZSTD);
  broker = await startKafkaBroker({ dataDirectory: directory.path });
  client = await RawClient.connect(broker.port);
});
afterAll(async () => {
  client.socket.destroy();
  await broker.close();
  directory.remove();
});

// biome-ignore lint/suspicious/noExplicitAny: what a response holds is for its test to know
async function ask(apiKey: number, apiVersion: number, message: unknown): Promise<any> {
  client.request(apiKey, apiVersion, ++correlationId, message);
  return (await client.answer(apiKey, apiVersion)).response;
}

const produce = async (records: Buffer): Promise<number> => {
  const topicData = [{ name: "t", partitionData: [{ index: 0, records }] }];
  const { responses } = await ask(PRODUCE, 9, { transactionalId: null, acks: -1, timeoutMs: 5_000, topicData });
  return responses[0].partitionResponses[0].errorCode;
};

const fetch = async (fetchOffset: number, isolationLevel: 0 | 1): Promise<number> => {
  const partitions = [{ partition: 0, currentLeaderEpoch: -1, fetchOffset, partitionMaxBytes: 10_000 }];
  const request = { maxWaitMs: 0, minBytes: 1, maxBytes: 1e6, isolationLevel, topics: [{ topic: "t", partitions }] };
  const { responses } = await ask(FETCH, 11, { replicaId: -1, sessionEpoch: -1, ...request });
  const [partition] = responses[0].partitions;
  expect(partition.errorCode).toBe(0);
  return Buffer.concat([partition.records].flat()).length;
};

test("Produce and Fetch decode nothing, whatever the records are", async () => {
  const configs = [{ name: "segment.bytes", value: "1048576" }];
  const topics = [{ name: "t", numPartitions: 1, replicationFactor: 1, assignments: [], configs }];
  expect((await ask(CREATE_TOPICS, 5, { topics, timeoutMs: 5_000 })).topics[0].errorCode).toBe(0);
  const timestamp = Date.now();
  const records = Array.from({ length: 20 }, (_, n) => ({
    key: Buffer.from(`${n}`),
    value: Buffer.alloc(500),
    timestamp,
  }));
  const before = decodeCounts();
  let count = 0;
  let bytes = 0;
  for (let round = 0; round < 40; round++) {
    for (const compression of Object.values(batch.Compression)) {
      const sequence =
        compression === batch.Compression.GZIP ? { producerId: 7, producerEpoch: 0, baseSequence: round * 20 } : {};
      const built = buildBatch(records, { compression, ...sequence });
      expect(await produce(built)).toBe(0);
      count += records.length;
      bytes += built.length;
    }
  }
  for (const isolationLevel of [0, 1] as const) {
    let read = 0;
    for (let offset = 0; offset < count; offset += records.length) {
      const found = await fetch(offset, isolationLevel);
      expect(found).toBeGreaterThan(0);
      read += found;
    }
    expect(read).toBeGreaterThanOrEqual(bytes);
  }
  expect(decodeCounts()).toEqual(before);
  // The counter does count: to find a record by its time, its batch is decoded.
  const partitions = [{ partitionIndex: 0, currentLeaderEpoch: -1, timestamp }];
  await ask(LIST_OFFSETS, 5, { replicaId: -1, isolationLevel: 0, topics: [{ name: "t", partitions }] });
  expect(decodeCounts().recordsDecoded).toBeGreaterThan(before.recordsDecoded);
});
