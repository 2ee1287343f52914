/**
 * serve-logs.ts KAFKA_DATA DIRECTORY: takes the segments that Apache Kafka wrote, once as files of an epoch whose leader
 * crashed, once batch by batch as appends; what is read back must be the same bytes. Prints ok/FAIL lines, then 'done'.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LogConfig, PartitionLog, ReadOptions } from "@kaas/core";
import { batch } from "@kaas/core/internal";
import { openVolume, type Volume } from "@kaas/storage";
import { defaultLogConfig } from "../../packages/kaas-storage/src/testing/log-config.js";
import { Rows } from "../lib/rows.js";
import { batchesOf } from "./exported-segments.js";

const [kafka = "", directory = ""] = process.argv.slice(2);
const CONFIG: LogConfig = { ...defaultLogConfig, retentionMs: -1, maxMessageBytes: 10_000_000 };
const EMPTY = {
  logStartOffset: 0,
  endOffset: 0,
  segments: [],
  epochs: [{ epoch: 0, startOffset: 0 }],
  producers: { offset: 0, snapshot: null },
};

const rows = new Rows();

/** A topic's segments in order. */
function segmentsOf(topic: string): string[] {
  const partition = join(kafka, `${topic}-0`);
  const names = readdirSync(partition).filter((name) => name.endsWith(".log"));
  return names.sort().map((name) => join(partition, name));
}

async function openTopic(volume: Volume, name: string): Promise<PartitionLog> {
  const known = [...volume.topics.topics()].find((topic) => topic.name === name);
  const topic = known ?? (await volume.topics.create(name, 1, {}));
  return volume.logs.open({ topic: name, topicId: topic.id, partition: 0 }, CONFIG);
}

async function readAll(
  log: PartitionLog,
  isolation: ReadOptions["isolation"],
): Promise<{ bytes: Buffer; aborted: string[] }> {
  const read: Buffer[] = [];
  const aborted = new Set<string>();
  for (let offset = 0; offset < log.highWatermark; ) {
    const result = await log.read(offset, { maxBytes: 100_000, minOneBatch: true, isolation });
    if (result.errorCode !== 0 || result.records.length === 0) throw new Error(`nothing is read at offset ${offset}`);
    for (const one of await batchesOf(Buffer.concat(result.records))) {
      offset = batch.lastOffset(one, 0) + 1;
      read.push(one);
    }
    for (const { producerId, firstOffset } of result.abortedTransactions ?? [])
      aborted.add(`${producerId}@${firstOffset}`);
    result.lease?.release();
  }
  return { bytes: Buffer.concat(read), aborted: [...aborted].sort() };
}

function mustBeSame(served: Buffer, written: Buffer): string {
  if (!served.equals(written)) {
    let at = 0;
    while (served[at] === written[at]) at++;
    throw new Error(
      `${served.length} bytes are served, ${written.length} were written; they differ from byte ${at} on`,
    );
  }
  return `${served.length} bytes`;
}

/** What Apache Kafka's own index says of aborted transactions. */
function abortedOf(topic: string): string[] {
  const found: string[] = [];
  for (const segment of segmentsOf(topic)) {
    const index = segment.replace(/log$/, "txnindex");
    const bytes = existsSync(index) ? readFileSync(index) : Buffer.alloc(0);
    for (let at = 0; at < bytes.length; at += 34) {
      found.push(`${bytes.readBigInt64BE(at + 2)}@${bytes.readBigInt64BE(at + 10)}`);
    }
  }
  return found.sort();
}

/** Puts a topic's segments where an epoch's leader, which then crashed, would have left them. */
function place(volume: string, topic: string): void {
  const partition = join(volume, topic, "0");
  mkdirSync(partition, { recursive: true });
  const format = { format: 1, epoch: 0 };
  writeFileSync(
    join(partition, "00000000.claim"),
    JSON.stringify({ ...format, broker: "kafka", incarnation: "kafka" }),
  );
  writeFileSync(join(partition, "00000000.seal"), JSON.stringify({ ...format, ...EMPTY }));
  for (const segment of segmentsOf(topic)) {
    copyFileSync(segment, join(partition, `00000000-${segment.split("/").at(-1)}`));
  }
}

/** As its producer had sent it: offset and epoch are the log's to give. */
function asProduced(one: Buffer): Buffer {
  const copy = Buffer.from(one);
  batch.setBaseOffset(copy, 0, 0);
  batch.setLeaderEpoch(copy, 0, -1);
  return copy;
}

const topics = readdirSync(kafka)
  .filter((name) => /^(?!_).*-0$/.test(name))
  .map((name) => name.slice(0, -2));
const placed = join(directory, "placed");
const first = await openVolume({ directory: placed });
for (const topic of topics) await first.topics.create(topic, 1, {});
await first.close();
for (const topic of topics) place(placed, topic);
const volume = await openVolume({ directory: placed });
for (const topic of topics) {
  await rows.run(`segments of Apache Kafka are served byte for byte, ${topic}`, async () => {
    const segments = segmentsOf(topic);
    const { bytes, aborted } = await readAll(await openTopic(volume, topic), "read_committed");
    if (String(aborted) !== String(abortedOf(topic)))
      throw new Error(`aborted: ${String(aborted)}; ${String(abortedOf(topic))}`);
    const same = mustBeSame(bytes, Buffer.concat(segments.map((file) => readFileSync(file))));
    return `${segments.length} segments, ${same}, ${aborted.length} aborted transactions`;
  });
}
await volume.close();

const appended = await openVolume({ directory: join(directory, "appended") });
for (const topic of topics) {
  // A log takes neither a broker's time nor markers from a client.
  if (topic === "append-time" || topic === "transactions") continue;
  await rows.run(`batches of Apache Kafka are appended and served byte for byte, ${topic}`, async () => {
    const written = Buffer.concat(segmentsOf(topic).map((file) => readFileSync(file)));
    const log = await openTopic(appended, topic);
    const batches = await batchesOf(written);
    for (const one of batches) {
      const { errorCode, errorMessage } = await log.append(asProduced(one), -1);
      if (errorCode !== 0) throw new Error(`an append failed with ${errorCode}: ${errorMessage}`);
    }
    return `${batches.length} batches, ${mustBeSame((await readAll(log, "read_uncommitted")).bytes, written)}`;
  });
}
await appended.close();
rows.end();
