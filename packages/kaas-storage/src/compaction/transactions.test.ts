import { ErrorCode, type LogConfig, type PartitionLog } from "@kaas/core";
import { beforeEach, describe, expect, test } from "vitest";
import { MemoryFileSystem } from "../file-system/memory.js";
import { contentOf, type Keyed, keyed } from "../testing/keyed-records.js";
import { defaultLogConfig } from "../testing/log-config.js";
import { openTestVolume, type TestVolume } from "../testing/open-test-volume.js";

let fileSystem: MemoryFileSystem;
let volume: TestVolume;
let log: PartitionLog;
const sequences = new Map<number, number>();

const compacted: LogConfig = {
  ...defaultLogConfig,
  cleanupPolicy: { delete: false, compact: true },
  segmentBytes: 1,
  minCleanableDirtyRatio: 0,
  deleteRetentionMs: 1_000,
  fileDeleteDelayMs: 0,
};

beforeEach(async () => {
  sequences.clear();
  fileSystem = new MemoryFileSystem();
  volume = await openTestVolume(fileSystem);
  log = await volume.partition(compacted);
});

async function append(producerId: number, ...records: Keyed[]): Promise<void> {
  const isTransactional = producerId >= 10;
  const baseSequence = sequences.get(producerId) ?? 0;
  sequences.set(producerId, baseSequence + records.length);
  const guard = isTransactional
    ? log.guardTransaction({ producerId, producerEpoch: 0, baseSequence, supportsEpochBump: false })
    : undefined;
  const sequenced = producerId < 0 ? {} : { producerId, producerEpoch: 0, baseSequence };
  const { errorCode } = await log.append(keyed(records, { ...sequenced, isTransactional }), -1, guard);
  expect(errorCode).toBe(ErrorCode.NONE);
}

async function end(producerId: number, isCommit: boolean): Promise<void> {
  const marker = { producerId, producerEpoch: 0, isCommit, coordinatorEpoch: 0, transactionVersion: 0 } as const;
  expect((await log.endTransaction(marker)).errorCode).toBe(ErrorCode.NONE);
}

/** Something new and closed, so that there is a reason to compact. */
async function compact(key: string): Promise<void> {
  await append(-1, [key, ""]);
  await volume.logs.compact();
}

/** Batches as `base-last:count`, control batches in brackets. */
async function batches(): Promise<string[]> {
  return (await contentOf(log)).batches.map(({ baseOffset, lastOffset, count, isControl }) => {
    const text = `${baseOffset}-${lastOffset}:${count}`;
    return isControl ? `[${text}]` : text;
  });
}

describe("compaction and transactions", () => {
  test("records of an open transaction, and all behind it, are left alone", async () => {
    await append(-1, ["a", "1"]);
    await append(-1, ["a", "2"]);
    await append(10, ["a", "3"]);
    await append(-1, ["a", "4"]);
    await append(-1, ["a", "5"]);
    await compact("x");
    expect(await batches()).toEqual(["1-1:1", "2-2:1", "3-3:1", "4-4:1", "5-5:1"]);
    await end(10, true);
    await compact("y");
    expect(await batches()).toEqual(["2-2:0", "4-4:1", "5-5:1", "[6-6:1]", "7-7:1"]);
  });

  test("aborted records take nobody's place and go at once; their marker follows delete.retention.ms later", async () => {
    await append(-1, ["a", "1"]);
    await append(10, ["a", "aborted"]);
    await append(10, ["b", "aborted"]);
    await end(10, false);
    await compact("x");
    // The last batch stays without records: the producer's sequence number is in it.
    expect(await batches()).toEqual(["0-0:1", "2-2:0", "[3-3:1]", "4-4:1"]);
    const committed = await contentOf(log, "read_committed");
    expect(committed.records.map(({ key, value }) => `${key}=${value}`)).toEqual(["a=1", "x="]);
    await append(10, ["c", "1"]);
    await end(10, true);
    await compact("y");
    // What the batch before was kept for is in a later one.
    expect(await batches()).toEqual(["0-0:1", "[3-3:1]", "4-4:1", "5-5:1", "[6-6:1]", "7-7:1"]);
    await compact("z");
    // No batch of the transaction was met: from now on the marker's time runs.
    const [, marker] = (await contentOf(log)).batches;
    expect(marker).toMatchObject({ isControl: true, deleteHorizonMs: volume.clock.now() + 1_000 });
    volume.clock.advance(1_000);
    await compact("w");
    expect(await batches()).toEqual(["0-0:1", "4-4:1", "5-5:1", "[6-6:1]", "7-7:1", "8-8:1", "9-9:1"]);
  });

  test("a commit marker stays as long as a record of its transaction does", async () => {
    await append(10, ["a", "1"]);
    await end(10, true);
    await append(10, ["b", "1"]);
    await end(10, true);
    for (const key of ["x", "y", "z"]) {
      volume.clock.advance(2_000);
      await compact(key);
    }
    expect((await batches()).slice(0, 4)).toEqual(["0-0:1", "[1-1:1]", "2-2:1", "[3-3:1]"]);
    await append(-1, ["a", "2"]);
    for (const key of ["x", "y", "z"]) {
      volume.clock.advance(2_000);
      await compact(key);
    }
    expect((await batches()).slice(0, 2)).toEqual(["2-2:1", "[3-3:1]"]);
  });

  test("the index of aborted transactions is kept with the batches that are left of them", async () => {
    await append(-1, ["a", "1"]);
    await append(10, ["a", "aborted"], ["b", "aborted"]);
    await end(10, false);
    await append(-1, ["x", ""]);
    log.configure({ ...compacted, segmentBytes: 1_000_000 });
    await volume.logs.compact();
    const names = (await fileSystem.list("/data/t/0")).map(({ name }) => name);
    expect(names.filter((name) => /-0000000\d\.txnindex$/.test(name))).toHaveLength(1);
    const read = await log.read(1, { maxBytes: 1_000, minOneBatch: true, isolation: "read_committed" });
    expect(read.abortedTransactions).toEqual([expect.objectContaining({ producerId: 10, firstOffset: 1 })]);
    await volume.close();
    volume = await openTestVolume(fileSystem);
    log = await volume.partition(compacted);
    expect((await contentOf(log, "read_committed")).records.map(({ key }) => key)).toEqual(["a", "x"]);
  });

  test("producers go on where they were, though all their records went, and after a restart", async () => {
    await append(1, ["a", "1"], ["b", "1"]);
    await append(-1, ["a", "2"], ["b", "2"]);
    await compact("x");
    expect(await batches()).toEqual(["0-1:0", "2-3:2", "4-4:1"]);
    await volume.close();
    // Nothing but the batch knows of the producer any more.
    for (const { name } of await fileSystem.list("/data/t/0")) {
      if (name.endsWith(".snapshot")) await fileSystem.unlink(`/data/t/0/${name}`);
    }
    volume = await openTestVolume(fileSystem);
    log = await volume.partition(compacted);
    expect(log.producers()).toMatchObject([{ producerId: 1, lastSequence: 1 }]);
    await append(1, ["c", "1"]);
    expect(log.logEndOffset).toBe(6);
  });
});
