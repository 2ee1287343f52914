// Segments that Apache Kafka wrote, given to kaas batch by batch, and read from it.
import { readFileSync } from "node:fs";
import { batch, buildBatch, readRecords } from "../../packages/kaas-core/src/internal.js";
import { Context } from "../differential/context.js";
import { variedRecords } from "./kaas-logs.js";

const RUN = `.${process.pid.toString(36)}`;
const KEPT = { "retention.ms": "-1" };
const BASE_OFFSET_END = 8;
const EPOCH_START = 12;
const EPOCH_END = 16;

export interface Outcome {
  readonly name: string;
  readonly wrong: string | undefined;
}

/** Kafka compresses with each codec itself, as its topic says; a producer with an id has its numbers in the batches. */
export async function serveKafkasSegments(kafkaPort: number, data: string, kaasPort: number): Promise<Outcome[]> {
  const kafka = new Context(kafkaPort, "dump", RUN);
  const kaas = new Context(kaasPort, "dump", RUN);
  const outcomes: Outcome[] = [];
  try {
    for (const codec of ["uncompressed", "gzip", "snappy", "lz4", "zstd"]) {
      const name = `what Apache Kafka wrote (${codec}) is served byte for byte`;
      outcomes.push({ name, wrong: await serve(kafka, kaas, data, codec) });
    }
  } finally {
    kafka.close();
    kaas.close();
  }
  return outcomes;
}

async function serve(kafka: Context, kaas: Context, data: string, codec: string): Promise<string | undefined> {
  const topic = await kafka.topic(codec, { configs: { ...KEPT, "compression.type": codec } });
  const { producerId } = await kafka.quiet("InitProducerId", { transactionalId: null, transactionTimeoutMs: 0 });
  await produce(kafka, topic, buildBatch(variedRecords(codec)));
  await produce(kafka, topic, buildBatch(variedRecords("again"), { compression: batch.Compression.GZIP }));
  for (const baseSequence of [0, 6])
    await produce(kafka, topic, buildBatch(variedRecords("numbered"), { producerId, producerEpoch: 0, baseSequence }));
  const written = readFileSync(`${data}/${topic}-0/00000000000000000000.log`);
  const batches = batchesOf(written);
  if (batches.length !== 4) return `Apache Kafka wrote ${batches.length} batches, not 4`;
  const wanted = codec === "uncompressed" ? "none" : codec;
  const codecs = ["none", "gzip", "snappy", "lz4", "zstd"];
  if (batches.some((one) => codecs[batch.compression(one, 0)] !== wanted)) return "Apache Kafka used another codec";

  await kaas.topic(codec, { configs: KEPT });
  // A producer says base offset 0, of every batch; the checksum does not cover it.
  for (const one of batches) await produce(kaas, topic, Buffer.from(one).fill(0, 0, BASE_OFFSET_END));
  const served = await fetchAll(kaas, topic);
  if (!placeless(batchesOf(served)).equals(placeless(batches))) return "other bytes are served";
  const offsets = batchesOf(served).map((one) => batch.baseOffset(one, 0));
  if (offsets.join() !== "0,6,12,18") return `the batches are served at ${offsets.join()}`;
  return (await contents(served)) === (await contents(written)) ? undefined : "other records are served";
}

async function produce(to: Context, name: string, records: Buffer): Promise<void> {
  const topicData = [{ name, partitionData: [{ index: 0, records }] }];
  const answer = await to.quiet("Produce", { transactionalId: null, acks: -1, timeoutMs: 60_000, topicData }, 9);
  const { errorCode } = answer.responses[0].partitionResponses[0];
  if (errorCode !== 0) throw new Error(`producing to ${name} failed with ${errorCode}`);
}

async function fetchAll(from: Context, topic: string): Promise<Buffer> {
  const partition = { partition: 0, currentLeaderEpoch: -1, fetchOffset: 0, lastFetchedEpoch: -1, logStartOffset: -1 };
  const request = {
    replicaId: -1,
    maxWaitMs: 1000,
    minBytes: 1,
    maxBytes: 1 << 20,
    isolationLevel: 0,
    sessionId: 0,
    sessionEpoch: -1,
    topics: [{ topic, partitions: [{ ...partition, partitionMaxBytes: 1 << 20 }] }],
    forgottenTopicsData: [],
    rackId: "",
  };
  const { errorCode, records } = (await from.quiet("Fetch", request, 12)).responses[0].partitions[0];
  if (errorCode !== 0) throw new Error(`fetching from ${topic} failed with ${errorCode}`);
  return records;
}

function batchesOf(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += batch.batchSize(bytes, at))
    found.push(bytes.subarray(at, at + batch.batchSize(bytes, at)));
  return found;
}

/** All bytes but those that say where a batch lies: its base offset, and the epoch of its leader. */
function placeless(batches: readonly Buffer[]): Buffer {
  const copies = batches.map((one) => Buffer.from(one).fill(0, 0, BASE_OFFSET_END).fill(0, EPOCH_START, EPOCH_END));
  return Buffer.concat(copies);
}

async function contents(bytes: Buffer): Promise<string> {
  const lines: string[] = [];
  for (const one of batchesOf(bytes)) {
    const record = readRecords(one, 0);
    while (record.next())
      lines.push(JSON.stringify([record.offset, record.timestamp, record.key, record.value, record.headers]));
  }
  return lines.join("\n");
}
