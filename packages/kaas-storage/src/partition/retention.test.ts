import { ErrorCode, type LogConfig } from "@kaas/core";
import { beforeEach, describe, expect, test } from "vitest";
import { MemoryFileSystem } from "../file-system/memory.js";
import { consume, values } from "../testing/batches.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, type TestVolume } from "../testing/open-test-volume.js";

let volume: TestVolume;
beforeEach(async () => {
  volume = await openTestVolume(new MemoryFileSystem());
});

const open = (config: Partial<LogConfig> = {}) => volume.partition(config);

describe("what goes", () => {
  test("records below a deleted offset, for good", async () => {
    const fileSystem = new MemoryFileSystem();
    const first = await openTestVolume(fileSystem);
    const log = await first.partition({ segmentBytes: 200, fileDeleteDelayMs: 0 });
    for (let n = 0; n < 10; n++) await log.append(values([`${n}`]), -1);
    expect(await log.deleteRecords(11)).toEqual({ errorCode: ErrorCode.OFFSET_OUT_OF_RANGE, lowWatermark: -1 });
    expect(await log.deleteRecords(7)).toEqual({ errorCode: ErrorCode.NONE, lowWatermark: 7 });
    expect(await log.deleteRecords(3)).toEqual({ errorCode: ErrorCode.NONE, lowWatermark: 7 });
    await first.logs.enforceRetention();
    const size = log.sizeBytes;
    expect(size).toBeLessThan(10 * values(["0"]).length);
    await first.close();
    const second = await openTestVolume(fileSystem);
    const again = await second.partition();
    expect([again.logStartOffset, again.logEndOffset, again.sizeBytes]).toEqual([7, 10, size]);
    expect((await consume(again)).map(({ offset }) => offset)).toEqual([7, 8, 9]);
    expect(await again.deleteRecords(-1)).toEqual({ errorCode: ErrorCode.NONE, lowWatermark: 10 });
  });

  test("nothing before it is durable that it may go", async () => {
    const fileSystem = new LosingFileSystem();
    const own = await openTestVolume(fileSystem);
    const log = await own.partition({ segmentBytes: 1, fileDeleteDelayMs: 0 });
    for (let n = 0; n < 4; n++) await log.append(values([`${n}`]), -1);
    await own.logs.enforceRetention();
    let release = (): void => undefined;
    fileSystem.beforeSync = (path) =>
      path.includes("/tmp-") ? new Promise((resolve) => (release = resolve)) : Promise.resolve();
    const deleted = log.deleteRecords(3);
    for (let turns = 0; turns < 5; turns++) {
      own.clock.advance(1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(log.logStartOffset).toBe(0);
    expect(await consume(log)).toHaveLength(4);
    const names = (await fileSystem.list("/data/t/0")).filter(({ name }) => name.endsWith(".log"));
    expect(names).toHaveLength(4);
    fileSystem.beforeSync = async () => undefined;
    release();
    expect(await deleted).toEqual({ errorCode: ErrorCode.NONE, lowWatermark: 3 });
    const again = await (await openTestVolume(fileSystem.crashed())).partition();
    expect(again.logStartOffset).toBe(3);
  });

  test("segments beyond retention.bytes, from the oldest on", async () => {
    const size = values(["0"]).length;
    const log = await open({ segmentBytes: size, retentionBytes: size * 3 });
    for (let n = 0; n < 10; n++) await log.append(values([`${n}`]), -1);
    await volume.logs.enforceRetention();
    expect([log.logStartOffset, log.sizeBytes]).toEqual([7, size * 3]);
  });

  test("all of them where retention.bytes is 0, the active one too", async () => {
    const log = await open({ retentionBytes: 0 });
    for (let n = 0; n < 3; n++) await log.append(values([`${n}`]), -1);
    await volume.logs.enforceRetention();
    expect([log.logStartOffset, log.logEndOffset, log.sizeBytes]).toEqual([3, 3, 0]);
    expect((await log.append(values(["new"]), -1)).baseOffset).toBe(3);
  });

  test("segments whose youngest record is older than retention.ms, the active one too", async () => {
    const log = await open({ segmentBytes: 1, retentionMs: 1_000 });
    const now = volume.clock.now();
    await log.append(values(["old"], {}, now - 5_000), -1);
    await log.append(values(["old", "young"], {}, now), -1);
    await log.append(values(["old"], {}, now - 5_000), -1);
    await volume.logs.enforceRetention();
    // Of what is left, the oldest segment is young enough, and what follows it stays with it.
    expect(log.logStartOffset).toBe(1);
    volume.clock.advance(1_001);
    await volume.logs.enforceRetention();
    expect([log.logStartOffset, log.logEndOffset, log.sizeBytes]).toEqual([4, 4, 0]);
    expect((await log.append(values(["new"]), -1)).baseOffset).toBe(4);
  });

  test("nothing of a topic that is compacted only", async () => {
    const log = await open({ segmentBytes: 200, retentionMs: 1, cleanupPolicy: { delete: false, compact: true } });
    for (let n = 0; n < 5; n++) await log.append(values([`${n}`], {}, 5), -1);
    await volume.logs.enforceRetention();
    expect(log.logStartOffset).toBe(0);
  });

  test("files only once file.delete.delay.ms has passed", async () => {
    const fileSystem = new MemoryFileSystem();
    const own = await openTestVolume(fileSystem);
    const log = await own.partition({ segmentBytes: 1, fileDeleteDelayMs: 500 });
    for (let n = 0; n < 3; n++) await log.append(values([`${n}`]), -1);
    await log.deleteRecords(2);
    const logs = async () => (await fileSystem.list("/data/t/0")).filter(({ name }) => name.endsWith(".log")).length;
    await own.logs.enforceRetention();
    expect(await logs()).toBe(3);
    own.clock.advance(500);
    await own.logs.enforceRetention();
    expect(await logs()).toBe(1);
  });
});

describe("rolling", () => {
  const count = async () =>
    (await (volume as TestVolume & { fs: MemoryFileSystem }).fs.list("/data/t/0")).filter(({ name }) =>
      name.endsWith(".log"),
    ).length;
  beforeEach(async () => {
    const fs = new MemoryFileSystem();
    volume = Object.assign(await openTestVolume(fs), { fs });
  });

  test("by the records' own time", async () => {
    const log = await open({ segmentMs: 1_000 });
    for (const timestamp of [0, 500, 1_000, 1_001, 1_500, 2_002]) await log.append(values(["x"], {}, timestamp), -1);
    expect(await count()).toBe(3);
  });

  test("by the clock where records have no time", async () => {
    const log = await open({ segmentMs: 1_000 });
    await log.append(values(["x"], {}, -1), -1);
    volume.clock.advance(1_000);
    await log.append(values(["x"], {}, -1), -1);
    expect(await count()).toBe(1);
    volume.clock.advance(1);
    await log.append(values(["x"], {}, -1), -1);
    expect(await count()).toBe(2);
  });

  test("when the index is full", async () => {
    const log = await open({ segmentIndexBytes: 24, indexIntervalBytes: 1 });
    for (let n = 0; n < 9; n++) await log.append(values(["x"]), -1);
    expect(await count()).toBeGreaterThan(1);
    expect(await consume(log)).toHaveLength(9);
  });
});
