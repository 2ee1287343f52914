/**
 * How long a start takes: many partitions after a clean end, and one large segment after a crash.
 *
 * ```
 * npx tsx packages/kaas-storage/bench/recovery.ts [--directory DIR] [--partitions 1000] [--mebibytes 1024]
 * ```
 *
 * The crash is a copy of the directory of a volume that is open: what a killed process leaves. Twice, with and without
 * the checkpoint that says how much of the segment need not be verified. What no checkpoint covers is written to the
 * disk once more, so beside the second figure stands what the disk takes for as many bytes.
 */
process.env["UV_THREADPOOL_SIZE"] ??= "16";
const fs = await import("node:fs");
const { tmpdir } = await import("node:os");
const { parseArgs } = await import("node:util");
const { silentLog } = await import("@kaas/core");
const { buildBatch } = await import("@kaas/core/internal");
const { openVolume } = await import("../src/index.js");
const { defaultLogConfig } = await import("../src/testing/log-config.js");

type Volume = Awaited<ReturnType<typeof openVolume>>;

const MIB = 1024 * 1024;
const BATCH_BYTES = 16 * 1024;
const GROUP = 64;
/** For 1 000 partitions and 1 024 MiB, on a machine that does nothing else. */
const PARTITIONS_GOAL_MS = 5_000;
const SEGMENT_GOAL_MS = 2_000;

const { values: options } = parseArgs({
  options: {
    directory: { type: "string", default: tmpdir() },
    partitions: { type: "string", default: "1000" },
    mebibytes: { type: "string", default: "1024" },
  },
});

const open = (directory: string): Promise<Volume> =>
  openVolume({ directory, log: silentLog, concurrentSyncs: 12, usableBytesMin: 0 });

const value = Buffer.alloc(BATCH_BYTES - 128, 7);
const newBatch = (): Buffer => buildBatch([{ timestamp: Date.now(), value }]);

/** Opens every partition of every topic, and answers how long that took. */
async function openAll(volume: Volume): Promise<number> {
  const before = performance.now();
  const opening: Promise<unknown>[] = [];
  for (const { name, id, partitionCount } of volume.topics.topics()) {
    for (let partition = 0; partition < partitionCount; partition++) {
      opening.push(volume.logs.open({ topic: name, topicId: id, partition }, defaultLogConfig));
    }
  }
  await Promise.all(opening);
  return performance.now() - before;
}

async function manyPartitions(directory: string, count: number): Promise<void> {
  const first = await open(directory);
  const { name, id } = await first.topics.create("many", count, {});
  await openAll(first);
  for (let partition = 0; partition < count; partition++) {
    const log = await first.logs.open({ topic: name, topicId: id, partition }, defaultLogConfig);
    await log.append(newBatch(), 0);
  }
  const before = performance.now();
  await first.close();
  print(`${count} partitions, clean end`, performance.now() - before);
  const again = await open(directory);
  print(`${count} partitions, opened after it`, await openAll(again), PARTITIONS_GOAL_MS);
  await again.close();
}

/** What no recovery without a checkpoint can be quicker than. */
function rewriteOf(path: string): number {
  const content = fs.readFileSync(path);
  const descriptor = fs.openSync(path, "r+");
  const before = performance.now();
  for (let at = 0; at < content.length; at += MIB)
    fs.writeSync(descriptor, content, at, Math.min(MIB, content.length - at), at);
  fs.fdatasyncSync(descriptor);
  fs.closeSync(descriptor);
  return performance.now() - before;
}

async function crashedSegment(directory: string, mebibytes: number): Promise<void> {
  const first = await open(directory);
  const { name, id } = await first.topics.create("large", 1, {});
  const config = { ...defaultLogConfig, segmentBytes: 0x7fff_ffff };
  const log = await first.logs.open({ topic: name, topicId: id, partition: 0 }, config);
  for (let written = 0; written < mebibytes * MIB; written += GROUP * BATCH_BYTES) {
    await Promise.all(Array.from({ length: GROUP }, () => log.append(newBatch(), -1)));
  }
  for (const keepsCheckpoint of [true, false]) {
    const crashed = `${directory}-crashed`;
    fs.cpSync(directory, crashed, { recursive: true, filter: (path) => !path.endsWith(".sock") });
    if (!keepsCheckpoint) fs.rmSync(`${crashed}/large/0/recovery-checkpoint.json`, { force: true });
    const volume = await open(crashed);
    const what = keepsCheckpoint ? "with its checkpoint" : "without a checkpoint";
    print(`${mebibytes} MiB in a segment, crashed, ${what}`, await openAll(volume), SEGMENT_GOAL_MS);
    const [topic] = [...volume.topics.topics()];
    const found = await volume.logs.open({ topic: name, topicId: topic?.id ?? "", partition: 0 }, config);
    if (found.logEndOffset !== log.logEndOffset)
      throw new Error(`${found.logEndOffset} of ${log.logEndOffset} records`);
    await volume.close();
    if (!keepsCheckpoint) print("  of which the disk, written alone", rewriteOf(segmentIn(`${crashed}/large/0`)));
    fs.rmSync(crashed, { recursive: true });
  }
  await first.close();
}

/** The largest file there. */
function segmentIn(directory: string): string {
  const paths = fs.readdirSync(directory).map((name) => `${directory}/${name}`);
  const bytes = (path: string): number => fs.statSync(path).size;
  return paths.reduce((largest, path) => (bytes(path) > bytes(largest) ? path : largest));
}

function print(what: string, ms: number, goalMs?: number): void {
  const goal = goalMs === undefined ? "" : `   goal ${goalMs} ms`;
  process.stdout.write(`${what.padEnd(64)} ${ms.toFixed(0).padStart(8)} ms${goal}\n`);
}

const root = fs.mkdtempSync(`${options.directory}/kaas-recovery-`);
try {
  await manyPartitions(`${root}/many`, Number(options.partitions));
  await crashedSegment(`${root}/large`, Number(options.mebibytes));
} finally {
  fs.rmSync(root, { recursive: true, force: true });
}
