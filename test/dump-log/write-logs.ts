/**
 * write-logs.ts DIRECTORY: writes logs of every kind and leaves their segments in DIRECTORY/<kind>/ under the names that
 * Apache Kafka's tools want, with what is to be read out of them. Prints the kinds.
 */
import { appendFileSync, cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { LogConfig, PartitionLog, TopicDescription } from "@kaas/core";
import { batch, buildBatch, loadCodec, type RecordInput } from "@kaas/core/internal";
import { openVolume, type Volume } from "@kaas/storage";
import { defaultLogConfig } from "../../packages/kaas-storage/src/testing/log-config.js";
import { TestProducer } from "../../packages/kaas-storage/src/testing/transactions.js";
import { exportSegments } from "./exported-segments.js";

const [directory = ""] = process.argv.slice(2);
const TIME = 1_700_000_000_000;
const CODECS = Object.entries(batch.Compression);

/** Keys, values and headers that are there, empty and null. */
function records(count: number, from = 0): RecordInput[] {
  return Array.from({ length: count }, (_, index) => {
    const number = from + index;
    const text = Buffer.from(`value ${number} ${"and more of it, ".repeat(number % 9)}`);
    return {
      timestamp: TIME + number,
      key: [null, Buffer.alloc(0), Buffer.from(`key-${number % 20}`)][number % 3] ?? null,
      value: number % 11 === 0 ? null : number % 13 === 0 ? Buffer.alloc(0) : text,
      headers:
        number % 2 === 0
          ? []
          : [
              { key: "é", value: null },
              { key: "h", value: Buffer.from("1") },
            ],
    };
  });
}

async function must(answer: Promise<{ readonly errorCode: number }>): Promise<void> {
  const { errorCode } = await answer;
  if (errorCode !== 0) throw new Error(`an append failed with ${errorCode}`);
}

function topicOf(volume: Volume, name: string): TopicDescription | undefined {
  return [...volume.topics.topics()].find((topic) => topic.name === name);
}

/** A topic of one partition, filled and handed over. */
async function kind(
  volume: Volume,
  name: string,
  config: Partial<LogConfig>,
  fill: (log: PartitionLog) => Promise<void>,
): Promise<void> {
  await open(volume, name, config, fill);
  const id = topicOf(volume, name)?.id ?? "";
  await volume.logs.release({ topic: name, topicId: id, partition: 0 });
  await exportSegments(join(directory, "volume", name, "0"), join(directory, name));
  console.log(name);
}

async function open(
  volume: Volume,
  name: string,
  config: Partial<LogConfig>,
  fill: (log: PartitionLog) => Promise<void>,
): Promise<void> {
  const topic = topicOf(volume, name) ?? (await volume.topics.create(name, 1, {}));
  const log = await volume.logs.open(
    { topic: name, topicId: topic.id, partition: 0 },
    { ...defaultLogConfig, retentionMs: -1, indexIntervalBytes: 300, ...config },
  );
  await fill(log);
}

async function fillWith(log: PartitionLog, compression: batch.Compression): Promise<void> {
  for (let round = 0; round < 40; round++)
    await must(log.append(buildBatch(records(25, round * 25), { compression }), -1));
}

async function fillAsProducers(log: PartitionLog): Promise<void> {
  const producers = [new TestProducer(3), new TestProducer(2 ** 40)];
  for (let round = 0; round < 30; round++) {
    for (const producer of producers) {
      const sent = producer.batch(["one", `two of round ${round}`], false);
      producer.sequence += 2;
      await must(log.append(sent, -1));
    }
  }
}

async function fillWithTransactions(log: PartitionLog): Promise<void> {
  const [committing, aborting] = [new TestProducer(11), new TestProducer(12)];
  for (let round = 0; round < 20; round++) {
    await must(committing.send(log, `committed ${round}`, "and this"));
    await must(aborting.send(log, `aborted ${round}`));
    await must(log.append(buildBatch([{ timestamp: TIME, key: Buffer.from("k"), value: null }]), -1));
    await must(aborting.end(log, false, round));
    await must(committing.end(log, true, round));
  }
}

// The volume's own timers do not keep a process alive that waits for a compaction.
const alive = setInterval(() => undefined, 1_000);
await loadCodec(batch.Compression.ZSTD);
const volume = await openVolume({ directory: join(directory, "volume") });
for (const [name, compression] of CODECS) {
  await kind(volume, `codec-${name.toLowerCase()}`, { segmentBytes: 20_000 }, (log) => fillWith(log, compression));
}
for (const [name] of CODECS) {
  const compressionType = name === "NONE" ? "uncompressed" : (name.toLowerCase() as LogConfig["compressionType"]);
  await kind(volume, `compressed-anew-${compressionType}`, { compressionType }, (log) => fillWith(log, 2));
}
for (const [compressionType, level] of [
  ["gzip", 1],
  ["lz4", 1],
  ["lz4", 17],
  ["zstd", -50],
  ["zstd", 19],
] as const) {
  const compressionLevels = { ...defaultLogConfig.compressionLevels, [compressionType]: level };
  const config = { compressionType, compressionLevels };
  await kind(volume, `level-${compressionType}-${level}`, config, (log) => fillWith(log, 2));
}
await kind(volume, "append-time", { messageTimestampType: "LogAppendTime" }, (log) => fillWith(log, 1));
await kind(volume, "idempotent", { segmentBytes: 2_000 }, fillAsProducers);
await kind(volume, "transactions", { segmentBytes: 2_000 }, fillWithTransactions);
const compacting = { segmentBytes: 3_000, cleanupPolicy: { delete: false, compact: true }, minCleanableDirtyRatio: 0 };
await kind(volume, "compacted", compacting, async (log) => {
  for (let round = 0; round < 40; round++) {
    const keyed = records(25, round * 25).map((record) => ({ ...record, key: Buffer.from(`key ${round % 7}`) }));
    await must(log.append(buildBatch(keyed, { compression: Object.values(batch.Compression)[round % 5] ?? 0 }), -1));
  }
  await fillWithTransactions(log);
  await volume.logs.compact();
});

// As a process that is killed leaves it, with a batch that was torn; then recovered, and written on.
await open(volume, "recovered", { segmentBytes: 20_000 }, (log) => fillWith(log, 0));
const image = join(directory, "killed");
cpSync(join(directory, "volume", "recovered"), join(image, "recovered"), { recursive: true });
const partition = join(image, "recovered", "0");
const last = readdirSync(partition)
  .filter((name) => name.endsWith(".log"))
  .sort()
  .at(-1);
if (last === undefined) throw new Error("there is no segment to be torn");
appendFileSync(join(partition, last), buildBatch(records(9)).subarray(0, 100));
await volume.close();
const recovered = await openVolume({ directory: image });
const topic = topicOf(recovered, "recovered");
if (topic === undefined) throw new Error("the topic did not survive");
const id = { topic: "recovered", topicId: topic.id, partition: 0 };
const log = await recovered.logs.open(id, { ...defaultLogConfig, retentionMs: -1, indexIntervalBytes: 300 });
if (log.logEndOffset !== 1_000) throw new Error(`1000 records were acknowledged, and ${log.logEndOffset} recovered`);
await fillWith(log, 3);
await recovered.close();
await exportSegments(partition, join(directory, "recovered"));
console.log("recovered");
clearInterval(alive);
