import { ErrorCode, type LogConfig, type PartitionLog } from "@kaas/core";
import { batch, loadCodec } from "@kaas/core/internal";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { MemoryFileSystem } from "../file-system/memory.js";
import { contentOf, type Keyed, keyed } from "../testing/keyed-records.js";
import { defaultLogConfig } from "../testing/log-config.js";
import { openTestVolume, type TestVolume } from "../testing/open-test-volume.js";

beforeAll(() => loadCodec(batch.Compression.ZSTD));

let fileSystem: MemoryFileSystem;
let volume: TestVolume;
beforeEach(async () => {
  fileSystem = new MemoryFileSystem();
  volume = await openTestVolume(fileSystem);
});

/** Every append has a segment of its own, and anything is worth it. */
const compacted: Partial<LogConfig> = {
  cleanupPolicy: { delete: false, compact: true },
  segmentBytes: 1,
  minCleanableDirtyRatio: 0,
  fileDeleteDelayMs: 0,
};
const open = (config: Partial<LogConfig> = {}) => volume.partition({ ...compacted, ...config });

async function append(log: PartitionLog, ...records: Keyed[]): Promise<void> {
  expect((await log.append(keyed(records), -1)).errorCode).toBe(ErrorCode.NONE);
}

/** Closes what was appended by something that is not to be compacted itself. */
const close = (log: PartitionLog) => append(log, ["end", ""]);

async function kept(log: PartitionLog): Promise<string[]> {
  return (await contentOf(log)).records.map(({ offset, key, value }) => `${offset} ${key}=${value}`);
}

async function files(kind = ".log"): Promise<string[]> {
  return (await fileSystem.list("/data/t/0")).map(({ name }) => name).filter((name) => name.endsWith(kind));
}

describe("what stays", () => {
  test("the last record of each key, at its offset; the active segment is left alone", async () => {
    const log = await open();
    await append(log, ["a", "1"]);
    await append(log, ["b", "1"], ["a", "2"]);
    await append(log, ["b", "2"]);
    await append(log, ["b", "3"]);
    await volume.logs.compact();
    expect(await kept(log)).toEqual(["2 a=2", "3 b=2", "4 b=3"]);
    await append(log, ["b", "4"]);
    await volume.logs.compact();
    expect(await kept(log)).toEqual(["2 a=2", "4 b=3", "5 b=4"]);
    expect([log.logStartOffset, log.highWatermark]).toEqual([0, 6]);
  });

  test("all of a log that is not compacted", async () => {
    const log = await open({ cleanupPolicy: { delete: true, compact: false } });
    for (const value of ["1", "2", "3"]) await append(log, ["a", value]);
    await volume.logs.compact();
    expect(await kept(log)).toHaveLength(3);
  });

  test.each(Object.entries(batch.Compression))("the same with %s, which stays as it is", async (_name, compression) => {
    const log = await open();
    const many = Array.from({ length: 500 }, (_, n): Keyed => [`key ${n % 100}`, `value ${n} `.repeat(20)]);
    await log.append(keyed(many, { compression }), -1);
    await close(log);
    await volume.logs.compact();
    const { records, batches } = await contentOf(log);
    expect(records).toHaveLength(101);
    expect(records[0]).toMatchObject({ offset: 400, key: "key 0", value: "value 400 ".repeat(20) });
    expect(batches[0]).toMatchObject({ baseOffset: 0, lastOffset: 499, count: 100, compression });
  });

  test.each([
    ["gzip", batch.Compression.GZIP, 1, 9],
    ["lz4", batch.Compression.LZ4, 1, 12],
    ["zstd", batch.Compression.ZSTD, -10, 15],
  ] as const)("of a batch of %s, compressed at the topic's level", async (name, compression, low, high) => {
    const many = Array.from({ length: 4_000 }, (_, n): Keyed => [`key ${(n * 7919) % 2003}`, `value ${n % 97}`]);
    const sizes: number[] = [];
    for (const level of [low, high]) {
      fileSystem = new MemoryFileSystem();
      volume = await openTestVolume(fileSystem);
      const log = await open({ compressionLevels: { ...defaultLogConfig.compressionLevels, [name]: level } });
      await log.append(keyed(many, { compression }), -1);
      await close(log);
      await volume.logs.compact();
      expect((await contentOf(log)).records).toHaveLength(2_004);
      const options = { maxBytes: 1, minOneBatch: true, isolation: "read_uncommitted" } as const;
      sizes.push(batch.batchSize((await log.read(0, options)).records[0] as Buffer, 0));
    }
    expect(sizes[1]).toBeLessThan(sizes[0] as number);
  });

  test("a key that is as long as it may be, and an empty one", async () => {
    const log = await open();
    const long = "k".repeat(700_000);
    await append(log, [long, "1"], ["", "1"]);
    await append(log, [long, "2"], ["", "2"]);
    await close(log);
    await volume.logs.compact();
    expect((await contentOf(log)).records.map(({ offset }) => offset)).toEqual([2, 3, 4]);
  });

  test("nothing without a key: it is not taken, and goes if it was there before", async () => {
    const log = await open({ cleanupPolicy: { delete: true, compact: false } });
    await append(log, [null, "old"], ["a", "1"]);
    await close(log);
    log.configure({ ...defaultLogConfig, ...compacted });
    const refused = await log.append(
      keyed([
        ["a", "x"],
        [null, "new"],
      ]),
      -1,
    );
    expect(refused).toMatchObject({ errorCode: ErrorCode.INVALID_RECORD, recordErrors: [{ batchIndex: 1 }] });
    await volume.logs.compact();
    expect(await kept(log)).toEqual(["1 a=1", "2 end="]);
  });
});

describe("tombstones", () => {
  test("take what was before them away, and go delete.retention.ms after they were first met", async () => {
    const log = await open({ deleteRetentionMs: 1_000 });
    await append(log, ["a", "1"], ["b", "1"]);
    await append(log, ["a", null]);
    await close(log);
    await volume.logs.compact();
    expect(await kept(log)).toEqual(["1 b=1", "2 a=null", "3 end="]);
    const { batches } = await contentOf(log);
    expect(batches.map(({ deleteHorizonMs }) => deleteHorizonMs)).toEqual([
      undefined,
      volume.clock.now() + 1_000,
      undefined,
    ]);
    volume.clock.advance(999);
    await append(log, ["c", "1"]);
    await volume.logs.compact();
    expect(await kept(log)).toContain("2 a=null");
    volume.clock.advance(1);
    await append(log, ["d", "1"]);
    await volume.logs.compact();
    expect(await kept(log)).toEqual(["1 b=1", "3 end=", "4 c=1", "5 d=1"]);
  });
});

describe("what is left alone", () => {
  test("records that are younger than min.compaction.lag.ms", async () => {
    const log = await open({ minCompactionLagMs: 10_000 });
    const now = volume.clock.now();
    await append(log, ["a", "1", now - 20_000]);
    await append(log, ["a", "2", now - 20_000]);
    await append(log, ["a", "3", now]);
    await append(log, ["a", "4", now]);
    await volume.logs.compact();
    expect(await kept(log)).toEqual(["1 a=2", "2 a=3", "3 a=4"]);
    volume.clock.advance(10_001);
    await volume.logs.compact();
    expect(await kept(log)).toEqual(["2 a=3", "3 a=4"]);
  });

  test("a log with less that is dirty than min.cleanable.dirty.ratio, until max.compaction.lag.ms has passed", async () => {
    const log = await open({ minCleanableDirtyRatio: 0.5, maxCompactionLagMs: 50_000, segmentBytes: 200 });
    const now = volume.clock.now();
    for (let n = 0; n < 20; n++) await append(log, [`${n}`, "x".repeat(100), now]);
    await volume.logs.compact();
    await append(log, ["0", "again", now]);
    await append(log, ["end", "x".repeat(100), now]);
    await append(log, ["end", "x".repeat(100), now]);
    await volume.logs.compact();
    expect((await kept(log))[0]).toMatch(/^0 0=x/);
    volume.clock.advance(50_001);
    await volume.logs.compact();
    expect((await kept(log))[0]).toMatch(/^1 1=x/);
  });
});

describe("files", () => {
  test("segments are joined up to segment.bytes, under names of their own; the old ones go after a while", async () => {
    const log = await open({ segmentBytes: 1_000_000, fileDeleteDelayMs: 500 });
    for (let n = 0; n < 3; n++) {
      await append(log, [`${n}`, "1"], ["a", `${n}`]);
      log.configure({ ...defaultLogConfig, ...compacted, segmentBytes: 1, fileDeleteDelayMs: 500 });
    }
    expect(await files()).toHaveLength(3);
    log.configure({
      ...defaultLogConfig,
      ...compacted,
      segmentBytes: 1_000_000,
      fileDeleteDelayMs: 500,
    });
    await volume.logs.compact();
    expect(await files()).toHaveLength(4);
    expect(await files()).toContain("00000000-00000000000000000000-00000001.log");
    volume.clock.advance(500);
    await volume.logs.enforceRetention();
    expect(await files()).toEqual(["00000000-00000000000000000004.log", "00000000-00000000000000000000-00000001.log"]);
    expect(await files(".timeindex")).toEqual(["00000000-00000000000000000000-00000001.timeindex"]);
    expect(await kept(log)).toEqual(["0 0=1", "2 1=1", "3 a=1", "4 2=1", "5 a=2"]);
  });

  test("what was compacted is so after a restart, and is not begun anew", async () => {
    const log = await open({ minCleanableDirtyRatio: 0.9 });
    for (const value of ["1", "2", "3"]) await append(log, ["a", value], ["b", value]);
    await volume.logs.compact();
    const before = await kept(log);
    expect(before).toHaveLength(4);
    await volume.close();
    volume = await openTestVolume(fileSystem);
    const again = await open({ minCleanableDirtyRatio: 0.9 });
    expect(await kept(again)).toEqual(before);
    const names = await files();
    await volume.logs.compact();
    expect(await files()).toEqual(names);
    await append(again, ["a", "4"]);
    expect([again.logStartOffset, again.logEndOffset]).toEqual([0, 7]);
  });

  test("a log of which nothing changed keeps its files", async () => {
    const log = await open();
    await append(log, ["a", "1"]);
    await append(log, ["b", "1"]);
    await close(log);
    await volume.logs.compact();
    const names = await files();
    expect(names).toHaveLength(3);
    volume.clock.advance(1);
    await append(log, ["c", "1"]);
    await volume.logs.compact();
    expect((await files()).slice(0, 3)).toEqual(names);
  });
});
