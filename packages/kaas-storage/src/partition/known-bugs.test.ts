/** Mistakes that brokers are known to have made, each with the least that shows it. */
import { ErrorCode, type PartitionLog } from "@kaas/core";
import { describe, expect, test } from "vitest";
import { MemoryFileSystem } from "../file-system/memory.js";
import { consume, recordsOf, values } from "../testing/batches.js";
import { keyed } from "../testing/keyed-records.js";
import { defaultLogConfig } from "../testing/log-config.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume } from "../testing/open-test-volume.js";
import { consumeCommitted, TestProducer } from "../testing/transactions.js";

const options = { maxBytes: 1e6, minOneBatch: true, isolation: "read_uncommitted" } as const;

const offsetsAt = async (log: PartitionLog, offset: number, maxBytes: number): Promise<number[]> => {
  const { errorCode, records } = await log.read(offset, { ...options, maxBytes });
  expect(errorCode).toBe(ErrorCode.NONE);
  return (await recordsOf(records)).map((record) => record.offset);
};

describe("an offset in a hole of a compacted log", () => {
  const compacted = {
    cleanupPolicy: { delete: false, compact: true },
    minCleanableDirtyRatio: 0,
    fileDeleteDelayMs: 0,
  };

  test("is answered with what comes behind it, in the segment or the next", async () => {
    for (const segmentBytes of [1, 250, 100_000]) {
      const volume = await openTestVolume(new MemoryFileSystem(), { tailCacheBytes: 0 });
      const log = await volume.partition({ ...compacted, segmentBytes });
      // Of the ten only 4 and 7 stay: there are holes at the start, between, and up to the end of a segment.
      for (let n = 0; n < 10; n++) await log.append(keyed([[n === 4 ? "a" : n === 7 ? "b" : "c", `${n}`]]), -1);
      log.configure({ ...defaultLogConfig, ...compacted, segmentBytes: 1 });
      await log.append(keyed([["c", "10"]]), -1);
      await log.append(keyed([["d", "11"]]), -1);
      await volume.logs.compact();
      const whole = (await consume(log)).map(({ offset }) => offset);
      expect(whole).toEqual([4, 7, 10, 11]);
      for (let offset = 0; offset < 12; offset++) {
        const expected = whole.find((one) => one >= offset);
        expect((await offsetsAt(log, offset, 1))[0]).toBe(expected);
        expect((await offsetsAt(log, offset, 1e6))[0]).toBe(expected);
        const { records } = await log.read(offset, { ...options, isolation: "read_committed" });
        expect((await recordsOf(records))[0]?.offset).toBe(expected);
      }
      expect(await log.deleteRecords(6)).toEqual({ errorCode: ErrorCode.NONE, lowWatermark: 6 });
      expect((await offsetsAt(log, 6, 1e6))[0]).toBe(7);
      expect(await log.offsetForTimestamp(0, "read_uncommitted")).toMatchObject({ offset: 7 });
    }
  });
});

describe("offsets after retention", () => {
  test("begin with the first record that is left, not one beside it, before and after a restart", async () => {
    const fileSystem = new LosingFileSystem();
    const size = values(["0"]).length;
    let log = await (async () => {
      const volume = await openTestVolume(fileSystem);
      const first = await volume.partition({ segmentBytes: size * 2, retentionBytes: size * 4 });
      for (let n = 0; n < 9; n++) await first.append(values([`${n}`]), -1);
      await volume.logs.enforceRetention();
      return first;
    })();
    for (let restart = 0; restart < 2; restart++) {
      expect([log.logStartOffset, log.logEndOffset]).toEqual([4, 9]);
      expect((await log.read(3, options)).errorCode).toBe(ErrorCode.OFFSET_OUT_OF_RANGE);
      expect(await offsetsAt(log, 4, 1)).toEqual([4]);
      expect(await offsetsAt(log, 8, 1)).toEqual([8]);
      expect((await log.read(9, options)).records).toEqual([]);
      expect((await log.read(10, options)).errorCode).toBe(ErrorCode.OFFSET_OUT_OF_RANGE);
      expect(await log.offsetForTimestamp(0, "read_uncommitted")).toMatchObject({ offset: 4 });
      expect([log.epochAt(4), log.epochAt(5)]).toEqual([-1, 0]);
      log = await (await openTestVolume(fileSystem.crashed())).partition();
    }
  });

  test("go on from the end of a log that lost all of its records", async () => {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition({ retentionMs: 1_000, fileDeleteDelayMs: 0 });
    await log.append(values(["a", "b", "c"], {}, volume.clock.now()), -1);
    volume.clock.advance(2_000);
    await volume.logs.enforceRetention();
    expect([log.logStartOffset, log.highWatermark, log.lastStableOffset, log.logEndOffset]).toEqual([3, 3, 3, 3]);
    expect(await log.offsetForTimestamp(0, "read_uncommitted")).toBeUndefined();
    const again = await (await openTestVolume(fileSystem.crashed())).partition();
    expect([again.logStartOffset, again.highWatermark]).toEqual([3, 3]);
    expect((await again.append(values(["d"]), -1)).baseOffset).toBe(3);
  });
});

describe("where an epoch ended (KIP-101)", () => {
  test("is unknown for one that is still to come, and the log start for one that was trimmed", async () => {
    const fileSystem = new LosingFileSystem();
    for (let epoch = 0; epoch < 3; epoch++) {
      const volume = await openTestVolume(fileSystem);
      await (await volume.partition()).append(values(["a", "b"]), -1);
      await volume.close();
    }
    const volume = await openTestVolume(fileSystem);
    let log = await volume.partition();
    await log.deleteRecords(4);
    for (let restart = 0; restart < 2; restart++) {
      const ends = [0, 1, 2, 99].map((epoch) => log.endOffsetForEpoch(epoch));
      expect(ends).toEqual([
        { epoch: 0, endOffset: 4 },
        { epoch: 1, endOffset: 4 },
        { epoch: 2, endOffset: 6 },
        { epoch: -1, endOffset: -1 },
      ]);
      expect([log.epochAt(4), log.epochAt(5), log.epochAt(6)]).toEqual([-1, 2, 2]);
      log = await (await openTestVolume(fileSystem.crashed())).partition();
    }
  });

  test("is the start of the epoch that is left when all records of older ones are deleted", async () => {
    const fileSystem = new LosingFileSystem();
    const first = await openTestVolume(fileSystem);
    await (await first.partition()).append(values(["a", "b"]), -1);
    await first.close();
    const log = await (await openTestVolume(fileSystem)).partition();
    await log.deleteRecords(-1);
    expect(log.endOffsetForEpoch(0)).toEqual({ epoch: 0, endOffset: 2 });
    expect(log.endOffsetForEpoch(1)).toEqual({ epoch: 1, endOffset: 2 });
  });
});

describe("aborted records (read_committed)", () => {
  test("stay aborted after a restart, and after all snapshots and indexes are gone", async () => {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition({ segmentBytes: 300 });
    const [one, two] = [new TestProducer(1), new TestProducer(2)];
    for (let n = 0; n < 5; n++) {
      await one.send(log, `lost ${n}`);
      await two.send(log, `kept ${n}`);
      await one.end(log, false);
      await two.end(log, true);
    }
    await volume.close();
    const names = (await fileSystem.list("/data/t/0")).map(({ name }) => name);
    for (const name of names.filter((each) => /index$|snapshot$/.test(each)))
      await fileSystem.unlink(`/data/t/0/${name}`);
    const again = await (await openTestVolume(fileSystem.crashed())).partition();
    expect((await consumeCommitted(again)).map(({ value }) => value)).toEqual([0, 1, 2, 3, 4].map((n) => `kept ${n}`));
    // A producer goes on where it was: markers took no sequence number.
    expect((await one.send(again, "next")).errorCode).toBe(ErrorCode.NONE);
  });
});
