// Producers and consumers of a whole broker in which memory is overwritten as soon as it is given back: whoever kept a
// view for too long, in the server, in a log or in the tail cache, has his records garbled, on the disk or on the wire.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { batch, validateBatch } from "@kaas/core/internal";
import type { FetchResponse, ProduceResponse } from "../../packages/kaas-core/src/messages/generated/index.js";
import { buildBatch } from "../../packages/kaas-core/src/records/build-batch.js";
import { readRecords } from "../../packages/kaas-core/src/records/batch-records.js";
import { WireClient } from "../lib/wire-client.js";
import { CountedBroker } from "./counted-broker.js";

const PARTITIONS = 3;
const PRODUCERS = 4;
const APPENDS = 150;
const TAIL_CACHE_BYTES = 1 << 20;

/** A value that says what it is and what all of its bytes are. */
function value(producer: number, sequence: number): Buffer {
  const size = [50, 900, 5000, 16_000, 70_000, 300_000][(producer + sequence) % 6] as number;
  const head = `${producer}:${sequence}:`;
  return Buffer.from(head.padEnd(size, createHash("sha1").update(head).digest("hex")));
}

async function produceAll(port: number, producer: number): Promise<void> {
  const client = await WireClient.connect(port);
  const answers: Promise<ProduceResponse>[] = [];
  for (let sequence = 0; sequence < APPENDS; sequence++) {
    const records = buildBatch([{ value: value(producer, sequence) }]);
    const topicData = [{ name: "t", partitionData: [{ index: sequence % PARTITIONS, records }] }];
    const acks = sequence % 5 === 0 ? 1 : -1;
    answers.push(client.call(0, 9, { transactionalId: null, acks, timeoutMs: 30_000, topicData }));
    if (sequence % 8 === 7) await answers.at(-8);
  }
  for (const { responses } of await Promise.all(answers)) {
    expect(responses[0]?.partitionResponses[0]?.errorCode).toBe(0);
  }
  client.close();
}

/** Reads until everything has come; follows the producers. */
async function consumeAll(port: number, bytesMax: number): Promise<string[]> {
  const client = await WireClient.connect(port);
  const offsets = new Array<number>(PARTITIONS).fill(0);
  const found: string[] = [];
  while (found.length < PRODUCERS * APPENDS) {
    const partitions = offsets.map((fetchOffset, partition) => ({
      partition,
      fetchOffset,
      partitionMaxBytes: bytesMax,
      currentLeaderEpoch: -1,
      lastFetchedEpoch: -1,
      logStartOffset: -1,
    }));
    const answer = await client.call<FetchResponse>(1, 12, {
      replicaId: -1,
      maxWaitMs: 200,
      minBytes: 1,
      maxBytes: 50 << 20,
      isolationLevel: 0,
      sessionId: 0,
      sessionEpoch: -1,
      topics: [{ topic: "t", partitions }],
      forgottenTopicsData: [],
      rackId: "",
    });
    for (const { partitionIndex, records } of answer.responses.flatMap((topic) => topic.partitions)) {
      offsets[partitionIndex] = valuesIn(records ?? Buffer.alloc(0), found) ?? (offsets[partitionIndex] as number);
    }
  }
  client.close();
  return found;
}

/** Checks every batch and every value; the offset behind them. */
function valuesIn(records: Buffer, found: string[]): number | undefined {
  let next: number | undefined;
  for (let at = 0; at < records.length; at += batch.batchSize(records, at)) {
    const fault = validateBatch(records, at, records.length, { maxMessageBytes: 1 << 20, origin: "coordinator" });
    expect(fault).toBeUndefined();
    const record = readRecords(records, at);
    while (record.next()) {
      const [producer, sequence] = (record.value as Buffer).toString("latin1", 0, 20).split(":").map(Number);
      expect(record.value?.equals(value(producer as number, sequence as number))).toBe(true);
      found.push(`${producer}:${sequence}`);
    }
    next = batch.lastOffset(records, at) + 1;
  }
  return next;
}

test.each([
  ["a tail cache that forgets", TAIL_CACHE_BYTES, {}],
  ["no tail cache", 0, {}],
  ["a topic that is compressed anew", TAIL_CACHE_BYTES, { "compression.type": "zstd" }],
  ["times that the broker sets", TAIL_CACHE_BYTES, { "message.timestamp.type": "LogAppendTime" }],
])("nobody looks at memory that he has given back: %s", async (_, tailCacheBytes, configs) => {
  const broker = await CountedBroker.start({ tailCacheBytes, poisons: true });
  try {
    await broker.client.createTopic("t", PARTITIONS, { "flush.messages": "1", ...configs });
    const producing = Array.from({ length: PRODUCERS }, (_producer, producer) => produceAll(broker.port, producer));
    const consuming = [1 << 20, 1 << 20, 4096].map((bytesMax) => consumeAll(broker.port, bytesMax));
    await Promise.all(producing);
    for (const found of [...(await Promise.all(consuming)), await consumeAll(broker.port, 1 << 20)]) {
      expect(new Set(found).size).toBe(PRODUCERS * APPENDS);
      expect(found).toHaveLength(PRODUCERS * APPENDS);
    }
  } finally {
    await broker.close();
  }
});
