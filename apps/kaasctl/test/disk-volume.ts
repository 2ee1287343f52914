import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, type LogConfig, type PartitionLog, silentLog } from "@kaas/core";
import { buildBatch, loadCodec, slotOf } from "@kaas/core/internal";
import { openVolume, type Volume } from "@kaas/storage";

/** Small segments, so that there are several. */
const LOG_CONFIG: LogConfig = {
  segmentBytes: 2_000,
  segmentMs: 604_800_000,
  segmentJitterMs: 0,
  segmentIndexBytes: 10 * 1024 * 1024,
  indexIntervalBytes: 300,
  retentionMs: -1,
  retentionBytes: -1,
  cleanupPolicy: { delete: true, compact: false },
  deleteRetentionMs: 86_400_000,
  minCompactionLagMs: 0,
  maxCompactionLagMs: Number.MAX_SAFE_INTEGER,
  minCleanableDirtyRatio: 0.01,
  fileDeleteDelayMs: 60_000,
  flushMessages: 1,
  flushMs: Number.MAX_SAFE_INTEGER,
  maxMessageBytes: 1024 * 1024 + 12,
  maxDecompressedMessageBytes: 2_147_483_639,
  compressionType: "producer",
  compressionLevels: { gzip: -1, lz4: 9, zstd: 3 },
  messageTimestampType: "CreateTime",
  messageTimestampBeforeMaxMs: Number.MAX_SAFE_INTEGER,
  messageTimestampAfterMaxMs: Number.MAX_SAFE_INTEGER,
  preallocate: false,
};

/** A clock of which only the time is needed: nothing is ever due. */
const clock: Clock = {
  now: () => 1_700_000_000_000,
  monotonic: () => 0,
  schedule: () => ({ cancel: () => undefined }),
};

let uuids = 0;
const random = { uuid: (): string => String(++uuids).padStart(22, "A"), integer: (): number => 0 };

/** A directory for the time of one test. */
export function temporaryDirectory(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "kaasctl-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Opens a volume as a broker would. */
export function openDiskVolume(directory: string, furtherDirectories: readonly string[] = []): Promise<Volume> {
  return openVolume({ directory, furtherDirectories, clock, random, log: silentLog });
}

/**
 * A volume with some of everything, closed in order: `orders` (two partitions; 60 batches in many segments, one of each
 * codec at the end of partition 0), `payments` (transactions, one of them aborted), `users` (compacted); two blocks of
 * producer ids; the groups `readers` and `writers`.
 */
export async function makeVolume(directory: string): Promise<void> {
  const volume = await openDiskVolume(directory);
  const orders = await openTopic(volume, "orders", 2);
  for (let n = 0; n < 60; n++) {
    for (const log of orders) await log.append(records([`value ${n} ${"x".repeat(60)}`], {}, n), -1);
  }
  for (const compression of [1, 2, 3, 4] as const) {
    await loadCodec(compression);
    await orders[0]?.append(records(["packed one", "packed two"], { compression }, 100), -1);
  }
  await produceTransactions(volume);
  const [users] = await openTopic(volume, "users", 1, { cleanupPolicy: { delete: false, compact: true } });
  for (let n = 0; n < 40; n++) await users?.append(records([`user ${n} ${"y".repeat(60)}`], {}, n), -1);
  await volume.logs.compact();
  await volume.files.claimProducerIds();
  await commitOffsets(volume, orders[0] as PartitionLog);
  await volume.close();
}

/** Opens all partitions of a topic, which is made. */
export async function openTopic(
  volume: Volume,
  topic: string,
  partitionCount: number,
  config: Partial<LogConfig> = {},
): Promise<PartitionLog[]> {
  const { id: topicId } = await volume.topics.create(topic, partitionCount, {});
  const partitions = Array.from({ length: partitionCount }, (_, partition) => ({ topic, topicId, partition }));
  return Promise.all(partitions.map((id) => volume.logs.open(id, { ...LOG_CONFIG, ...config })));
}

/** One batch. */
export function records(texts: readonly string[], options: Parameters<typeof buildBatch>[1] = {}, second = 0): Buffer {
  const timestamp = 1_700_000_000_000 + second * 1_000;
  const made = texts.map((text) => ({ key: Buffer.from("k"), value: Buffer.from(text), timestamp }));
  return buildBatch(made, options);
}

async function produceTransactions(volume: Volume): Promise<void> {
  const { first: producerId } = await volume.files.claimProducerIds();
  const [log] = await openTopic(volume, "payments", 1);
  if (log === undefined) throw new Error("a topic with one partition has one");
  let producerEpoch = 0;
  for (let n = 0; n < 20; n++) {
    const numbered = { producerId, producerEpoch, baseSequence: 0 };
    const guard = log.guardTransaction({ ...numbered, supportsEpochBump: false });
    await log.append(records([`payment ${n} ${"z".repeat(60)}`], { ...numbered, isTransactional: true }, n), -1, guard);
    producerEpoch++;
    await log.endTransaction({
      producerId,
      producerEpoch,
      isCommit: n % 5 !== 0,
      coordinatorEpoch: 0,
      transactionVersion: 2,
    });
  }
}

async function commitOffsets(volume: Volume, log: PartitionLog): Promise<void> {
  const { topic, topicId, partition } = log.id;
  for (const group of ["readers", "writers"]) {
    const journal = await volume.slotJournals.open("groups", slotOf(group, volume.slotJournals.slotCount));
    for (let offset = 1; offset <= 10; offset++) {
      await journal.append({
        type: "commit",
        group,
        committedAt: 1_700_000_000_000,
        expiresAt: null,
        topics: [{ topic, topicId, partitions: [[partition, offset, 0, ""]] }],
      });
    }
  }
}
