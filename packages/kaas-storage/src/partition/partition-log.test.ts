import { ErrorCode, type LogConfig, type PartitionLog } from "@kaas/core";
import { batch, buildBatch, crc32c, loadCodec } from "@kaas/core/internal";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { MemoryFileSystem } from "../file-system/memory.js";
import { consume, recordsOf, values } from "../testing/batches.js";
import { openTestVolume, type TestVolume } from "../testing/open-test-volume.js";

let volume: TestVolume;
beforeAll(() => loadCodec(batch.Compression.ZSTD));
beforeEach(async () => {
  volume = await openTestVolume(new MemoryFileSystem());
});

const open = (config: Partial<LogConfig> = {}) => volume.partition(config);
const refusal = async (log: PartitionLog, records: Buffer) => (await log.append(records, -1)).errorCode;

describe("appending", () => {
  test("numbers batches in the order of the calls, and stamps the leader epoch", async () => {
    const log = await open();
    const results = await Promise.all([
      log.append(values(["a", "b"]), -1),
      log.append(values(["c"]), 1),
      log.append(values(["d", "e", "f"]), 0),
    ]);
    expect(results.map(({ errorCode, baseOffset, logStartOffset }) => [errorCode, baseOffset, logStartOffset])).toEqual(
      [
        [0, 0, 0],
        [0, 2, 0],
        [0, 3, 0],
      ],
    );
    expect(log.logEndOffset).toBe(6);
    const { records } = await log.read(0, { maxBytes: 1e6, minOneBatch: true, isolation: "read_uncommitted" });
    expect(records.map((buffer) => batch.leaderEpoch(buffer, 0))).toEqual([0, 0, 0]);
    expect((await consume(log)).map(({ offset, value }) => `${offset}${value}`)).toEqual([
      "0a",
      "1b",
      "2c",
      "3d",
      "4e",
      "5f",
    ]);
  });

  test("takes several batches at once, all or none", async () => {
    const log = await open();
    const good = values(["a"]);
    const bad = values(["b"]);
    bad[bad.length - 1] = (bad[bad.length - 1] as number) ^ 1;
    expect(await refusal(log, Buffer.concat([good, bad]))).toBe(ErrorCode.CORRUPT_MESSAGE);
    expect(log.logEndOffset).toBe(0);
    const both = await log.append(Buffer.concat([values(["a", "b"]), values(["c"])]), -1);
    expect(both.baseOffset).toBe(0);
    expect((await consume(log)).map(({ value }) => value)).toEqual(["a", "b", "c"]);
  });

  test("refuses what may not be in a log", async () => {
    const log = await open({ maxMessageBytes: 200 });
    expect(await refusal(log, values(["x".repeat(300)]))).toBe(ErrorCode.MESSAGE_TOO_LARGE);
    expect(await refusal(log, values(["a"], { isControl: true }))).toBe(ErrorCode.INVALID_RECORD);
    expect(await refusal(log, values(["a"], { logAppendTime: 5 }))).toBe(ErrorCode.INVALID_TIMESTAMP);
    const transactional = { producerId: 1, producerEpoch: 0, baseSequence: 0, isTransactional: true };
    expect(await refusal(log, values(["a"], transactional))).toBe(ErrorCode.INVALID_TXN_STATE);
    expect(await refusal(log, Buffer.alloc(0))).toBe(ErrorCode.INVALID_RECORD);
    expect(await refusal(log, values(["a"]).subarray(0, 60))).toBe(ErrorCode.INVALID_RECORD);
    expect(log.logEndOffset).toBe(0);
    expect((await log.append(values(["a"]), -1)).baseOffset).toBe(0);
  });

  test("stamps its own time where the topic says so", async () => {
    const log = await open({ messageTimestampType: "LogAppendTime" });
    const now = volume.clock.now();
    const result = await log.append(values(["a", "b"], {}, 5), -1);
    expect(result.logAppendTimeMs).toBe(now);
    const { records } = await log.read(0, { maxBytes: 1e6, minOneBatch: true, isolation: "read_uncommitted" });
    const stored = records[0] as Buffer;
    expect(batch.crc(stored, 0)).toBe(crc32c(stored, batch.BATCH_CRC_START));
    expect((await recordsOf(records)).map(({ timestamp }) => timestamp)).toEqual([now, now]);
  });

  test("refuses records from too far in the future or the past, and says which", async () => {
    const log = await open({ messageTimestampBeforeMaxMs: 1_000, messageTimestampAfterMaxMs: 1_000 });
    const now = volume.clock.now();
    const records = [now, now - 1_001, now + 1_001, -1].map((timestamp) => ({ value: Buffer.from("x"), timestamp }));
    const result = await log.append(buildBatch(records), -1);
    expect(result.errorCode).toBe(ErrorCode.INVALID_TIMESTAMP);
    expect(result.recordErrors.map(({ batchIndex }) => batchIndex)).toEqual([1, 2]);
    expect(await refusal(log, values(["a", "b"], {}, now - 1_000))).toBe(ErrorCode.NONE);
  });

  test("refuses keyless records on a compacted topic, and says which", async () => {
    const log = await open({ cleanupPolicy: { delete: false, compact: true } });
    const records = [{ key: Buffer.from("k") }, { key: null }, { key: Buffer.from("k") }, {}];
    for (const compression of Object.values(batch.Compression)) {
      const result = await log.append(buildBatch(records, { compression }), -1);
      expect(result.errorCode).toBe(ErrorCode.INVALID_RECORD);
      expect(result.recordErrors.map(({ batchIndex }) => batchIndex)).toEqual([1, 3]);
    }
    expect(await refusal(log, values(["a"]))).toBe(ErrorCode.NONE);
  });

  test("compresses as the topic wants it, in the order of the calls", async () => {
    const log = await open({ compressionType: "zstd" });
    const appends = Object.values(batch.Compression).map((compression, n) =>
      log.append(values([`${n}`.repeat(100)], { compression }), -1),
    );
    expect((await Promise.all(appends)).map(({ baseOffset }) => baseOffset)).toEqual([0, 1, 2, 3, 4]);
    const { records } = await log.read(0, { maxBytes: 1e6, minOneBatch: true, isolation: "read_uncommitted" });
    for (const stored of records) {
      expect(batch.compression(stored, 0)).toBe(batch.Compression.ZSTD);
      expect(batch.crc(stored, 0)).toBe(crc32c(stored, batch.BATCH_CRC_START));
    }
    expect((await consume(log)).map(({ value }) => value[0])).toEqual(["0", "1", "2", "3", "4"]);
  });

  test("refuses records that cannot be read where it has to read them", async () => {
    const log = await open({ compressionType: "gzip" });
    const broken = values(["a"], { compression: batch.Compression.LZ4 });
    broken.fill(0x55, batch.BATCH_HEADER_BYTES);
    batch.setCrc(broken, 0, crc32c(broken, batch.BATCH_CRC_START));
    expect(await refusal(log, broken)).toBe(ErrorCode.INVALID_RECORD);
  });
});

describe("reading", () => {
  const options = { maxBytes: 1e6, minOneBatch: true, isolation: "read_uncommitted" } as const;

  test("answers with whole batches, the first even if it is larger than asked for", async () => {
    for (const tailCacheBytes of [0, 1e6]) {
      const own = await openTestVolume(new MemoryFileSystem(), { tailCacheBytes });
      const log = await own.partition();
      for (let n = 0; n < 10; n++) await log.append(values([`${n}a`, `${n}b`]), -1);
      const size = values(["0a", "0b"]).length;
      const read = async (offset: number, maxBytes: number, minOneBatch: boolean) => {
        const result = await log.read(offset, { ...options, maxBytes, minOneBatch });
        expect(result.sizeBytes).toBe(result.records.reduce((sum, one) => sum + one.length, 0));
        return (await recordsOf(result.records)).map(({ value }) => value);
      };
      expect(await read(0, 1, true)).toEqual(["0a", "0b"]);
      expect(await read(5, 1, true)).toEqual(["2a", "2b"]);
      expect(await read(5, 1, false)).toEqual([]);
      expect(await read(5, size * 2, false)).toEqual(["2a", "2b", "3a", "3b"]);
      expect(await read(5, size * 3 - 1, true)).toEqual(["2a", "2b", "3a", "3b"]);
      expect(await read(18, 1e6, true)).toEqual(["9a", "9b"]);
      expect(await read(20, 1e6, true)).toEqual([]);
    }
  });

  test("refuses offsets that the log does not have", async () => {
    const log = await open();
    await log.append(values(["a", "b"]), -1);
    expect((await log.read(3, options)).errorCode).toBe(ErrorCode.OFFSET_OUT_OF_RANGE);
    expect((await log.read(-1, options)).errorCode).toBe(ErrorCode.OFFSET_OUT_OF_RANGE);
    await log.deleteRecords(1);
    expect((await log.read(0, options)).errorCode).toBe(ErrorCode.OFFSET_OUT_OF_RANGE);
    const { errorCode, records, logStartOffset } = await log.read(1, options);
    expect([errorCode, records.length, logStartOffset]).toEqual([ErrorCode.NONE, 1, 1]);
  });

  test("goes on from segment to segment", async () => {
    const log = await open({ segmentBytes: 300, indexIntervalBytes: 1 });
    for (let n = 0; n < 30; n++) await log.append(values([`${n}`]), -1);
    expect((await consume(log)).map(({ value }) => Number(value))).toEqual(Array.from({ length: 30 }, (_, n) => n));
    expect(log.sizeBytes).toBe(30 * values(["0"]).length + 20);
  });

  test("gives read_committed consumers the list of aborted transactions", async () => {
    const log = await open();
    await log.append(values(["a"]), -1);
    expect((await log.read(0, options)).abortedTransactions).toBeNull();
    expect((await log.read(0, { ...options, isolation: "read_committed" })).abortedTransactions).toEqual([]);
  });
});

describe("times", () => {
  const at = async (log: PartitionLog, ...times: number[]) =>
    log.append(buildBatch(times.map((timestamp) => ({ value: Buffer.from("x"), timestamp }))), -1);

  test("finds the first record at or after a time, in whichever segment and batch", async () => {
    for (const segmentBytes of [1e9, 200]) {
      const own = await openTestVolume(new MemoryFileSystem());
      const log = await own.partition({ segmentBytes, indexIntervalBytes: 1, retentionMs: -1 });
      await at(log, 10, 30, 20);
      await at(log, 5, 5);
      await at(log, 30, 40);
      await at(log, 35);
      const find = async (timestamp: number) => {
        const found = await log.offsetForTimestamp(timestamp, "read_uncommitted");
        return found === undefined ? undefined : [found.offset, found.timestamp, found.leaderEpoch];
      };
      expect(await find(0)).toEqual([0, 10, 0]);
      expect(await find(11)).toEqual([1, 30, 0]);
      expect(await find(30)).toEqual([1, 30, 0]);
      expect(await find(31)).toEqual([6, 40, 0]);
      expect(await find(41)).toBeUndefined();
      await log.deleteRecords(2);
      expect(await find(0)).toEqual([2, 20, 0]);
      expect(await find(25)).toEqual([5, 30, 0]);
    }
  });

  test("finds the first record that has the largest time", async () => {
    const log = await open({ segmentBytes: 200, retentionMs: -1 });
    expect(await log.offsetOfMaxTimestamp()).toBeUndefined();
    await at(log, 10, 50, 50);
    await at(log, 50);
    await at(log, 20, 30, 30);
    expect(await log.offsetOfMaxTimestamp()).toEqual({ offset: 1, timestamp: 50, leaderEpoch: 0 });
    await log.deleteRecords(2);
    expect(await log.offsetOfMaxTimestamp()).toEqual({ offset: 2, timestamp: 50, leaderEpoch: 0 });
    await log.deleteRecords(4);
    expect(await log.offsetOfMaxTimestamp()).toEqual({ offset: 5, timestamp: 30, leaderEpoch: 0 });
    await log.deleteRecords(-1);
    expect(await log.offsetOfMaxTimestamp()).toBeUndefined();
  });
});

describe("epochs", () => {
  test("every opening is a new one, and each knows where those before ended", async () => {
    const fileSystem = new MemoryFileSystem();
    for (let epoch = 0; epoch < 4; epoch++) {
      const own = await openTestVolume(fileSystem);
      const log = await own.partition();
      expect(log.leaderEpoch).toBe(epoch);
      // Epoch 1 writes nothing.
      if (epoch !== 1) await log.append(values(["a", "b"]), -1);
      await own.close();
    }
    const own = await openTestVolume(fileSystem);
    const log = await own.partition();
    expect([0, 1, 2, 3, 4, 5, 6].map((offset) => log.epochAt(offset))).toEqual([-1, 0, 0, 2, 2, 3, 3]);
    expect([-1, 0, 1, 2, 3, 4, 5].map((epoch) => log.endOffsetForEpoch(epoch))).toEqual([
      { epoch: -1, endOffset: -1 },
      { epoch: 0, endOffset: 2 },
      { epoch: 0, endOffset: 2 },
      { epoch: 2, endOffset: 4 },
      { epoch: 3, endOffset: 6 },
      { epoch: 4, endOffset: 6 },
      { epoch: -1, endOffset: -1 },
    ]);
  });

  test("what crashed and clean leaders leave behind does not pile up", async () => {
    const fileSystem = new MemoryFileSystem();
    let names = 0;
    for (let round = 0; round < 6; round++) {
      const own = await openTestVolume(fileSystem);
      const log = await own.partition();
      await log.append(values(["a"], { producerId: 1, producerEpoch: 0, baseSequence: round }), -1);
      await own.logs.enforceRetention();
      await own.close();
      const listed = (await fileSystem.list("/data/t/0")).map(({ name }) => name);
      names = listed.filter((name) => !/\.(log|index|timeindex)$/.test(name)).length;
    }
    // claim, seal, released, two snapshots and a copy of the newer one.
    expect(names).toBe(6);
  });
});

describe("listeners", () => {
  test("that fail keep neither the others nor the log from going on", async () => {
    const log = await open();
    let heard = 0;
    log.addListener({
      logAdvanced: () => {
        throw new Error("a bug");
      },
    });
    log.addListener({ logAdvanced: () => void heard++ });
    for (let n = 0; n < 3; n++) expect((await log.append(values([`${n}`]), -1)).baseOffset).toBe(n);
    expect(heard).toBe(3);
  });

  test("hear of the high watermark, the log start and the end", async () => {
    const log = await open();
    const seen: string[] = [];
    const listener = {
      logAdvanced: (one: PartitionLog) => void seen.push(`${one.logStartOffset}-${one.highWatermark}`),
    };
    log.addListener(listener);
    await log.append(values(["a", "b"]), -1);
    await log.deleteRecords(1);
    await volume.logs.release(log.id);
    expect(seen).toEqual(["0-2", "1-2", "1-2"]);
    expect(log.health).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
    log.removeListener(listener);
    expect(await refusal(log, values(["a"]))).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
  });
});
