import { ErrorCode, type PartitionLog, type TransactionEnd } from "@kaas/core";
import { batch, readControlBatch } from "@kaas/core/internal";
import { beforeEach, describe, expect, test } from "vitest";
import { MemoryFileSystem } from "../file-system/memory.js";
import { consume, recordsOf, values } from "../testing/batches.js";
import { defaultLogConfig } from "../testing/log-config.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, type TestVolume } from "../testing/open-test-volume.js";
import { consumeCommitted, TestProducer } from "../testing/transactions.js";

const committed = { maxBytes: 1e6, minOneBatch: true, isolation: "read_committed" } as const;
const start = { producerId: 1, producerEpoch: 0, baseSequence: 0, supportsEpochBump: false };

let volume: TestVolume;
let log: PartitionLog;
let one: TestProducer;
let two: TestProducer;
beforeEach(async () => {
  volume = await openTestVolume(new MemoryFileSystem());
  log = await volume.partition();
  one = new TestProducer(1);
  two = new TestProducer(2);
});

const texts = (found: readonly { readonly value: string }[]) => found.map(({ value }) => value);
const end = async (change: Partial<TransactionEnd>) =>
  (
    await log.endTransaction({
      producerId: 1,
      producerEpoch: 0,
      isCommit: true,
      coordinatorEpoch: 0,
      transactionVersion: 1,
      ...change,
    })
  ).errorCode;

describe("a transaction", () => {
  test("is seen whole once it is committed, and not at all once it is aborted", async () => {
    await one.send(log, "a", "b");
    await two.send(log, "c");
    await log.append(values(["d"]), -1);
    expect(log.lastStableOffset).toBe(0);
    expect(texts(await consumeCommitted(log))).toEqual([]);
    expect(await log.read(2, committed)).toMatchObject({ errorCode: 0, records: [], lastStableOffset: 0 });
    expect(texts(await consume(log))).toEqual(["a", "b", "c", "d"]);
    await one.end(log, true);
    expect(log.lastStableOffset).toBe(2);
    expect(texts(await consumeCommitted(log))).toEqual(["a", "b"]);
    await two.end(log, false);
    expect(log.lastStableOffset).toBe(log.highWatermark);
    expect(texts(await consumeCommitted(log))).toEqual(["a", "b", "d"]);
    const { abortedTransactions } = await log.read(0, committed);
    expect(abortedTransactions).toMatchObject([{ producerId: 2, firstOffset: 2 }]);
    // As Apache Kafka does: listed as long as its marker is still to come.
    expect((await log.read(4, committed)).abortedTransactions).toMatchObject([{ producerId: 2 }]);
    await log.append(values(["e"]), -1);
    expect((await log.read(6, committed)).abortedTransactions).toEqual([]);
    expect((await log.read(2, { ...committed, isolation: "read_uncommitted" })).abortedTransactions).toBeNull();
  });

  test("wakes those who wait for its end", async () => {
    const seen: number[] = [];
    await one.send(log, "a");
    log.addListener({ logAdvanced: ({ lastStableOffset }) => void seen.push(lastStableOffset) });
    await two.send(log, "b");
    await one.end(log, true);
    await two.end(log, true);
    expect(seen).toEqual([0, 1, 4]);
  });

  test("is not over before its marker is durable", async () => {
    const fileSystem = new LosingFileSystem();
    log = await (await openTestVolume(fileSystem)).partition();
    await one.send(log, "a");
    let release = (): void => undefined;
    fileSystem.beforeSync = () => new Promise((resolve) => (release = resolve));
    const ended = one.end(log, true);
    await new Promise((resolve) => setImmediate(resolve));
    expect([log.logEndOffset, log.highWatermark, log.lastStableOffset]).toEqual([2, 1, 0]);
    // What has not begun for those who read is not open for them either.
    const next = one.send(log, "b");
    fileSystem.beforeSync = async () => undefined;
    release();
    expect((await ended).errorCode).toBe(0);
    await next;
    expect([log.highWatermark, log.lastStableOffset]).toEqual([3, 2]);
  });

  test("begins within an append of several batches, which is cut there", async () => {
    for (const tailCacheBytes of [0, 1e6]) {
      const own = await (await openTestVolume(new MemoryFileSystem(), { tailCacheBytes })).partition();
      const guard = own.guardTransaction(start);
      const both = Buffer.concat([values(["a"]), new TestProducer(1).batch(["b", "c"], true), values(["d"])]);
      expect((await own.append(both, -1, guard)).errorCode).toBe(0);
      expect([own.highWatermark, own.lastStableOffset]).toEqual([4, 1]);
      expect(texts(await recordsOf((await own.read(0, committed)).records))).toEqual(["a"]);
      await one.end(own, true);
      one = new TestProducer(1);
      // Whoever goes on from there misses nothing.
      expect(texts(await consumeCommitted(own, 1))).toEqual(["b", "c", "d"]);
    }
  });

  test("is described with the producer, and keeps it from being forgotten", async () => {
    await two.send(log, "a");
    await two.end(log, true, 9);
    await one.send(log, "b");
    expect(log.producers()).toEqual([
      {
        producerId: 2,
        producerEpoch: 1,
        lastSequence: -1,
        lastTimestamp: volume.clock.now(),
        coordinatorEpoch: 9,
        currentTransactionStartOffset: -1,
      },
      expect.objectContaining({ producerId: 1, coordinatorEpoch: -1, currentTransactionStartOffset: 2 }),
    ]);
    const aDayLater = async (): Promise<void> => {
      volume.clock.advance(86_400_001);
      await new Promise((resolve) => setImmediate(resolve));
      volume.clock.advance(600_000);
    };
    await aDayLater();
    expect(log.producers().map(({ producerId }) => producerId)).toEqual([1]);
    await one.end(log, true);
    await aDayLater();
    expect(log.producers()).toEqual([]);
  });

  test("whose records are deleted is still open, from the log start on", async () => {
    await one.send(log, "a", "b");
    await log.append(values(["c", "d"]), -1);
    await log.deleteRecords(3);
    expect(log.lastStableOffset).toBe(3);
    expect((await log.read(3, committed)).records).toEqual([]);
    await one.end(log, false);
    expect(texts(await consumeCommitted(log))).toEqual(["d"]);
  });

  test("bounds what is found by time", async () => {
    await log.append(values(["a"], {}, 10), -1);
    await one.send(log, "b");
    expect(await log.offsetForTimestamp(5, "read_committed")).toMatchObject({ offset: 0 });
    expect(await log.offsetForTimestamp(11, "read_uncommitted")).toMatchObject({ offset: 1 });
    expect(await log.offsetForTimestamp(11, "read_committed")).toBeUndefined();
    await one.end(log, true);
    expect(await log.offsetForTimestamp(11, "read_committed")).toMatchObject({ offset: 1 });
  });
});

describe("who may begin one", () => {
  const first = () => new TestProducer(1).batch(["a"], true);
  const append = async (records: Buffer, guard = log.guardTransaction(start)) =>
    (await log.append(records, -1, guard)).errorCode;

  test("is who has a guard for this producer that nothing has made void", async () => {
    expect((await log.append(first(), -1)).errorCode).toBe(ErrorCode.INVALID_TXN_STATE);
    expect(await append(first(), { producerId: 1 })).toBe(ErrorCode.INVALID_TXN_STATE);
    expect(await append(first(), log.guardTransaction({ ...start, producerId: 2 }))).toBe(ErrorCode.INVALID_TXN_STATE);
    const late = log.guardTransaction(start);
    await end({ isCommit: false });
    expect(await append(first(), late)).toBe(ErrorCode.INVALID_TXN_STATE);
    // A new question does not bring the old answer back.
    expect(log.guardTransaction(start)).not.toBe(late);
    expect(await append(first(), late)).toBe(ErrorCode.INVALID_TXN_STATE);
    expect(log.logEndOffset).toBe(1);
    expect(await append(first())).toBe(ErrorCode.NONE);
  });

  test("need not ask again while it is open, and must once it is over", async () => {
    const used = log.guardTransaction(start);
    await one.send(log, "a");
    expect(log.guardTransaction({ ...start, baseSequence: 1 })).toBeUndefined();
    expect((await log.append(one.batch(["b"], true), -1)).errorCode).toBe(ErrorCode.NONE);
    one.sequence++;
    await end({});
    expect((await log.append(one.batch(["c"], true), -1)).errorCode).toBe(ErrorCode.INVALID_TXN_STATE);
    // A newer epoch is another transaction, though the coordinator has not ended the old one yet.
    const spent = log.guardTransaction({ ...start, baseSequence: one.sequence });
    await one.send(log, "c");
    Object.assign(one, { epoch: 1, sequence: 0 });
    for (const guard of [undefined, used, spent]) {
      expect((await log.append(one.batch(["d"], true), -1, guard)).errorCode).toBe(ErrorCode.INVALID_TXN_STATE);
    }
    expect((await one.send(log, "d")).errorCode).toBe(ErrorCode.NONE);
    expect(log.lastStableOffset).toBe(3);
  });

  test("has to begin with the first of the batches that wait", async () => {
    const second = new TestProducer(1);
    second.sequence = 5;
    const guard = log.guardTransaction({ ...start, baseSequence: 5 });
    expect(log.guardTransaction({ ...start, baseSequence: 3 })).toBe(guard);
    expect(await append(second.batch(["b"], true), guard)).toBe(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER);
    second.sequence = 3;
    expect(await append(second.batch(["a", "a"], true), guard)).toBe(ErrorCode.NONE);
    second.sequence = 5;
    expect(await append(second.batch(["b"], true), undefined)).toBe(ErrorCode.NONE);
  });

  test("has to begin with sequence number 0 where each transaction has its own epoch", async () => {
    one.sequence = 3;
    const guard = log.guardTransaction({ ...start, baseSequence: 3, supportsEpochBump: true });
    expect(await append(one.batch(["a"], true), guard)).toBe(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER);
    one.sequence = 0;
    expect(await append(one.batch(["a"], true), guard)).toBe(ErrorCode.NONE);
  });

  test("may not send anything else meanwhile", async () => {
    await one.send(log, "a");
    expect((await log.append(one.batch(["b"], false), -1)).errorCode).toBe(ErrorCode.INVALID_TXN_STATE);
    await end({});
    expect((await log.append(one.batch(["b"], false), -1)).errorCode).toBe(ErrorCode.NONE);
  });

  test("gets the original answer for a retry, even once the transaction is over", async () => {
    await log.append(values(["x"]), -1);
    const records = one.batch(["a"], true);
    await one.send(log, "a");
    expect(await log.append(Buffer.from(records), -1)).toMatchObject({ errorCode: 0, baseOffset: 1 });
    await end({});
    expect(await log.append(Buffer.from(records), -1)).toMatchObject({ errorCode: 0, baseOffset: 1 });
    expect(log.logEndOffset).toBe(3);
  });

  test("may never write a marker", async () => {
    const guard = log.guardTransaction(start);
    const header = { producerId: 1, producerEpoch: 0, isTransactional: true, isControl: true };
    expect(await append(values(["a"], header), guard)).toBe(ErrorCode.INVALID_RECORD);
    expect(await append(values(["a"], { ...header, baseSequence: 0 }), guard)).toBe(ErrorCode.INVALID_RECORD);
    expect(log.logEndOffset).toBe(0);
  });
});

describe("a marker", () => {
  test("is a control batch, and takes no sequence number", async () => {
    await one.send(log, "a");
    expect(await end({ isCommit: false, coordinatorEpoch: 4 })).toBe(ErrorCode.NONE);
    const { records } = await log.read(1, { ...committed, isolation: "read_uncommitted" });
    const marker = records[0] as Buffer;
    expect(readControlBatch(marker, 0)).toEqual({ type: 0, coordinatorEpoch: 4 });
    expect([batch.baseOffset(marker, 0), batch.leaderEpoch(marker, 0)]).toEqual([1, log.leaderEpoch]);
    expect(batch.maxTimestamp(marker, 0)).toBe(volume.clock.now());
    expect((await one.send(log, "b")).errorCode).toBe(ErrorCode.NONE);
    expect(log.producers()).toMatchObject([{ lastSequence: 1, currentTransactionStartOffset: 2 }]);
  });

  test("without a transaction is appended, and fences older epochs", async () => {
    expect(await end({ producerEpoch: 5, isCommit: false })).toBe(ErrorCode.NONE);
    expect([log.logEndOffset, log.lastStableOffset]).toEqual([1, 1]);
    expect((await log.read(0, committed)).abortedTransactions).toEqual([]);
    one.epoch = 4;
    expect((await one.send(log, "a")).errorCode).toBe(ErrorCode.INVALID_PRODUCER_EPOCH);
    one.epoch = 5;
    one.sequence = 7;
    expect((await one.send(log, "a")).errorCode).toBe(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER);
    one.sequence = 0;
    expect((await one.send(log, "a")).errorCode).toBe(ErrorCode.NONE);
  });

  test("of a deposed coordinator or of an older epoch is refused", async () => {
    one.epoch = 3;
    await one.send(log, "a");
    expect(await end({ producerEpoch: 3, coordinatorEpoch: 7 })).toBe(ErrorCode.NONE);
    await one.send(log, "b");
    expect(await end({ producerEpoch: 3, coordinatorEpoch: 6 })).toBe(ErrorCode.TRANSACTION_COORDINATOR_FENCED);
    expect(await end({ producerEpoch: 2, coordinatorEpoch: 6 })).toBe(ErrorCode.INVALID_PRODUCER_EPOCH);
    expect(log.lastStableOffset).toBe(2);
    expect(await end({ producerEpoch: 4, coordinatorEpoch: 7 })).toBe(ErrorCode.NONE);
    expect(log.lastStableOffset).toBe(4);
  });

  test("of version 2 raises the epoch, but for a retry and for the last epoch of all", async () => {
    const transactionVersion = 2;
    expect(await end({ transactionVersion, producerEpoch: 0 })).toBe(ErrorCode.NONE);
    await one.send(log, "a");
    expect(await end({ transactionVersion, producerEpoch: 0 })).toBe(ErrorCode.INVALID_PRODUCER_EPOCH);
    expect(await end({ transactionVersion, producerEpoch: 1 })).toBe(ErrorCode.NONE);
    expect(await end({ transactionVersion, producerEpoch: 1 })).toBe(ErrorCode.NONE);
    expect(await end({ transactionVersion, producerEpoch: 0 })).toBe(ErrorCode.INVALID_PRODUCER_EPOCH);
    // What was sent in the transaction that has ended does not arrive in the next one.
    const late = one.batch(["b"], true);
    const guard = log.guardTransaction({ ...start, producerEpoch: 1 });
    expect((await log.append(late, -1, guard)).errorCode).toBe(ErrorCode.INVALID_PRODUCER_EPOCH);
    Object.assign(one, { epoch: 0x7fff, sequence: 0 });
    await one.send(log, "c");
    expect(await end({ transactionVersion, producerEpoch: 0x7fff })).toBe(ErrorCode.NONE);
    expect(log.lastStableOffset).toBe(log.highWatermark);
  });

  test("is taken by a volume that is almost full, and by a topic that takes no batch as large", async () => {
    const fileSystem = new LosingFileSystem();
    const own = await openTestVolume(fileSystem);
    log = await own.partition();
    await one.send(log, "a");
    log.configure({ ...defaultLogConfig, maxMessageBytes: 10 });
    fileSystem.usableBytes = 0;
    own.clock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect((await log.append(values(["b"]), -1)).errorCode).not.toBe(ErrorCode.NONE);
    expect(await end({})).toBe(ErrorCode.NONE);
  });

  test("does not overtake batches that wait for a codec", async () => {
    log.configure({ ...defaultLogConfig, compressionType: "zstd" });
    const waiting = [one.send(log, "a"), log.append(values(["b"]), -1)];
    expect(log.logEndOffset).toBe(0);
    // The transaction has not begun, so that its end has to wait as well.
    const ended = end({});
    const results = await Promise.all([...waiting, log.append(values(["c"]), -1)]);
    expect(await ended).toBe(ErrorCode.NONE);
    expect(results.map(({ baseOffset }) => baseOffset)).toEqual([0, 1, 3]);
    expect(log.lastStableOffset).toBe(4);
    expect(texts(await consumeCommitted(log))).toEqual(["a", "b", "c"]);
  });

  test("has the broker's time where the topic says so", async () => {
    log.configure({ ...defaultLogConfig, messageTimestampType: "LogAppendTime" });
    await one.send(log, "a");
    const result = await one.end(log, true);
    expect(result).toMatchObject({ errorCode: 0, baseOffset: 1, logAppendTimeMs: volume.clock.now() });
  });

  test("that is damaged keeps the log from being opened, and is named", async () => {
    const fileSystem = new LosingFileSystem();
    const own = await openTestVolume(fileSystem);
    log = await own.partition();
    const sent = await one.send(log, "a");
    const { records } = await log.read(sent.baseOffset, { ...committed, isolation: "read_uncommitted" });
    const position = (records[0] as Buffer).length;
    await one.end(log, true);
    await own.close();
    const directory = "/data/t/0/";
    for (const { name } of await fileSystem.list(directory)) {
      if (name.endsWith(".snapshot")) await fileSystem.unlink(directory + name);
    }
    const file = `${directory}00000000-00000000000000000000.log`;
    fileSystem.garble(file, (content) => content.fill(0x7f, position + batch.BATCH_HEADER_BYTES));
    const opened = (await openTestVolume(fileSystem)).partition();
    await expect(opened).rejects.toThrow(`${file} is damaged at byte ${position}: a marker that cannot be read`);
  });

  test("is refused by a log that is not served", async () => {
    await volume.logs.release(log.id);
    expect(await end({})).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
  });
});
