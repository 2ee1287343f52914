import { ErrorCode, type LogConfig, type PartitionLog, type TopicDescription } from "@kaas/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { contentOf, type Keyed, keyed } from "../testing/keyed-records.js";
import { defaultLogConfig } from "../testing/log-config.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, recordingLog, type TestVolume } from "../testing/open-test-volume.js";
import type { CompactionOptions } from "./compaction-options.js";

const SLOW = 1_000;

let fileSystem: LosingFileSystem;
let volume: TestVolume;
let options: Partial<CompactionOptions>;
const lines = recordingLog();

beforeEach(async () => {
  lines.lines.length = 0;
  options = {};
  fileSystem = new LosingFileSystem();
  volume = await openTestVolume(fileSystem, { log: lines, compaction: () => options });
});

afterEach(async () => {
  await volume.close();
  expect(fileSystem.openHandles).toBe(0);
});

const compacted: LogConfig = {
  ...defaultLogConfig,
  cleanupPolicy: { delete: false, compact: true },
  segmentBytes: 1,
  minCleanableDirtyRatio: 0,
  fileDeleteDelayMs: 0,
};

async function append(log: PartitionLog, ...records: Keyed[]): Promise<void> {
  expect((await log.append(keyed(records), -1)).errorCode).toBe(ErrorCode.NONE);
}

async function filled(config: Partial<LogConfig> = {}, count = 6): Promise<PartitionLog> {
  const log = await volume.partition({ ...compacted, ...config });
  for (let n = 0; n < count; n++) await append(log, ["a", `${n}`], [`${n}`, "x"]);
  return log;
}

const offsetsOf = async (log: PartitionLog): Promise<number[]> =>
  (await contentOf(log)).records.map(({ offset }) => offset);

/** Lets everything happen that needs no time to pass. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve));
}

/** A compaction that has read a little and waits before it may go on. */
async function begunSlowly(): Promise<{ readonly done: Promise<void>; finish(): Promise<void> }> {
  options = { ioBytesPerSecond: SLOW };
  let isDone = false;
  const done = volume.logs.compact().then(() => {
    isDone = true;
  });
  await settle();
  expect(isDone).toBe(false);
  return {
    done,
    async finish() {
      for (let waits = 0; waits < 120 && !isDone; waits++) {
        volume.clock.advance(100);
        await settle();
      }
      expect(isDone).toBe(true);
    },
  };
}

describe("while a log is compacted", () => {
  test("it is appended to and read, and loses nothing of that", async () => {
    const log = await filled();
    const compaction = await begunSlowly();
    expect(await offsetsOf(log)).toHaveLength(12);
    await append(log, ["a", "new"]);
    expect(await offsetsOf(log)).toHaveLength(13);
    await compaction.finish();
    expect(await offsetsOf(log)).toEqual([1, 3, 5, 7, 9, 10, 11, 12]);
  });

  test("deleted records stay deleted, and what was begun is dropped", async () => {
    const log = await filled({ cleanupPolicy: { delete: true, compact: true }, retentionMs: -1 });
    const compaction = await begunSlowly();
    expect(await log.deleteRecords(5)).toEqual({ errorCode: ErrorCode.NONE, lowWatermark: 5 });
    await settle();
    await compaction.finish();
    expect(log.logStartOffset).toBe(5);
    options = {};
    volume.clock.advance(15_000);
    await settle();
    await volume.logs.compact();
    expect(await offsetsOf(log)).toEqual([5, 7, 8, 9, 10, 11]);
    volume.clock.advance(0);
    await settle();
    const names = (await fileSystem.list("/data/t/0")).map(({ name }) => name).filter((name) => name.endsWith(".log"));
    expect(names).toHaveLength(4);
    expect(lines.lines.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
  });

  test("a topic that is no longer to be compacted is left as it is", async () => {
    const log = await filled();
    const compaction = await begunSlowly();
    log.configure({ ...compacted, cleanupPolicy: { delete: false, compact: false } });
    await compaction.done;
    expect(await offsetsOf(log)).toHaveLength(12);
    expect(await leftovers()).toEqual([]);
  });

  test("a topic can be deleted, and nobody is told of a failure", async () => {
    await filled();
    const compaction = await begunSlowly();
    const [topic] = [...volume.topics.topics()];
    await volume.topics.delete(topic as TopicDescription);
    await compaction.done;
    await volume.settled();
    expect(lines.lines.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
  });

  test("a partition is handed over at once, as it was", async () => {
    const log = await filled();
    const compaction = await begunSlowly();
    await volume.logs.release(log.id);
    await compaction.done;
    const again = await volume.partition(compacted);
    expect(await offsetsOf(again)).toHaveLength(12);
    expect(await leftovers()).toEqual([]);
  });
});

async function leftovers(): Promise<string[]> {
  return (await fileSystem.list("/data/t/0")).map(({ name }) => name).filter((name) => name.split("-").length === 3);
}

describe("a compacted log", () => {
  test("is read from an offset in a hole on with what follows it", async () => {
    const log = await filled();
    await volume.logs.compact();
    for (const [from, first] of [
      [0, 1],
      [2, 3],
      [4, 5],
      [6, 7],
      [8, 8],
    ] as const) {
      const { records } = await contentOf(log, "read_uncommitted", from);
      expect([from, records[0]?.offset]).toEqual([from, first]);
    }
  });

  test("is searched by time", async () => {
    const log = await volume.partition(compacted);
    for (let n = 0; n < 6; n++) await append(log, ["a", `${n}`, 1_000 + n * 10], [`${n}`, "x", 1_001 + n * 10]);
    await volume.logs.compact();
    for (const [timestamp, offset] of [
      [0, 1],
      [1_010, 3],
      [1_011, 3],
      [1_012, 5],
      [1_040, 8],
      [1_052, -1],
    ] as const) {
      const found = await log.offsetForTimestamp(timestamp, "read_uncommitted");
      expect([timestamp, found?.offset ?? -1]).toEqual([timestamp, offset]);
    }
    expect(await log.offsetOfMaxTimestamp()).toMatchObject({ offset: 11, timestamp: 1_051 });
  });

  test("answers a search by time that files were taken from under", async () => {
    const log = await volume.partition(compacted);
    for (let n = 0; n < 6; n++) await append(log, ["a", `${n}`, 1_000 + n]);
    const searches = Array.from({ length: 20 }, (_, n) => log.offsetForTimestamp(1_000 + (n % 6), "read_uncommitted"));
    await volume.logs.compact();
    volume.clock.advance(0);
    await settle();
    for (const found of await Promise.all(searches)) expect(found?.offset).toBeGreaterThanOrEqual(0);
  });

  test("keeps its leader epochs", async () => {
    const log = await filled();
    await volume.logs.release(log.id);
    const second = await volume.partition(compacted);
    await append(second, ["a", "6"]);
    await append(second, ["b", "7"]);
    await volume.logs.compact();
    expect([second.epochAt(12), second.epochAt(13)]).toEqual([0, 1]);
    expect(second.endOffsetForEpoch(0)).toEqual({ epoch: 0, endOffset: 12 });
    expect(await offsetsOf(second)).toEqual([1, 3, 5, 7, 9, 11, 12, 13]);
  });

  test("loses its oldest segments to retention as well, where it is to", async () => {
    const log = await filled({ cleanupPolicy: { delete: true, compact: true }, retentionMs: 1_000_000 });
    await volume.logs.compact();
    volume.clock.advance(1_000_001);
    await append(log, ["z", "young", volume.clock.now()]);
    await volume.logs.enforceRetention();
    expect(log.logStartOffset).toBe(12);
    expect(await offsetsOf(log)).toEqual([12]);
  });
});

describe("scheduling", () => {
  test("looks for itself, every log.cleaner.backoff.ms", async () => {
    const log = await filled();
    volume.clock.advance(15_000);
    await settle();
    expect(await offsetsOf(log)).toHaveLength(8);
  });

  test("compacts nothing where there are no threads", async () => {
    options = { threads: 0 };
    const log = await filled();
    await volume.logs.compact();
    expect(await offsetsOf(log)).toHaveLength(12);
  });

  test("goes by how dirty logs are, one at a time", async () => {
    const topic = await volume.topics.create("many", 3, {});
    const sizes = [2, 6, 4];
    const logs = await Promise.all(
      sizes.map((_, partition) => volume.logs.open({ topic: "many", topicId: topic.id, partition }, compacted)),
    );
    // Clean to begin with, and then more or less dirty.
    for (const log of logs) for (let n = 0; n < 8; n++) await append(log, [`${n}`, "x"]);
    await volume.logs.compact();
    for (const [index, log] of logs.entries()) {
      for (let n = 0; n <= (sizes[index] as number); n++) await append(log, ["0", `${n}`], [`new ${n}`, "x"]);
    }
    const order: string[] = [];
    fileSystem.before = (operation, path) => {
      const match = /many\/(\d)\/\d+-\d+-\d+\.log$/.exec(path);
      if (operation === "sync" && match !== null) order.push(match[1] as string);
    };
    await volume.logs.compact();
    expect([...new Set(order)]).toEqual(["1", "2", "0"]);
  });

  test("sets a log aside whose compaction fails, names it, goes on with the others, and comes back to it", async () => {
    const topic = await volume.topics.create("many", 2, {});
    const logs = await Promise.all(
      [0, 1].map((partition) => volume.logs.open({ topic: "many", topicId: topic.id, partition }, compacted)),
    );
    for (const log of logs) for (let n = 0; n < 4; n++) await append(log, ["a", `${n}`], [`${n}`, "x"]);
    let isBroken = true;
    fileSystem.before = (operation, path) => {
      if (isBroken && operation === "open" && /many\/0\/\d+-\d+-\d+\.log$/.test(path)) {
        throw Object.assign(new Error("no"), { code: "EIO" });
      }
    };
    await volume.logs.compact();
    const [broken, sound] = logs as [PartitionLog, PartitionLog];
    expect([await offsetsOf(broken), await offsetsOf(sound)]).toEqual([
      [0, 1, 2, 3, 4, 5, 6, 7],
      [1, 3, 4, 5, 6, 7],
    ]);
    const errors = lines.lines.filter(({ level }) => level === "error");
    expect(errors).toMatchObject([{ fields: { topic: "many", partition: 0, retryInMs: 60_000 } }]);
    await volume.logs.compact();
    expect(lines.lines.filter(({ level }) => level === "error")).toHaveLength(1);
    isBroken = false;
    volume.clock.advance(60_000);
    await volume.logs.compact();
    expect(await offsetsOf(broken)).toEqual([1, 3, 4, 5, 6, 7]);
  });

  test("damage is not made truth: the log is named, and stays as it is", async () => {
    const log = await filled();
    const path = "/data/t/0/00000000-00000000000000000002.log";
    fileSystem.garble(path, (content) => {
      content[70] = (content[70] as number) ^ 1;
      return content;
    });
    await volume.logs.compact();
    const errors = lines.lines.filter(({ level }) => level === "error");
    expect(errors).toMatchObject([
      { fields: { err: { message: expect.stringMatching(/0002\.log is damaged at byte 0: the checksum/) } } },
    ]);
    expect(log.highWatermark).toBe(12);
    expect(await leftovers()).toEqual([]);
  });

  test("waits while the volume is almost full", async () => {
    const log = await filled();
    fileSystem.usableBytes = 1;
    volume.clock.advance(5_000);
    await settle();
    await volume.logs.compact();
    expect(await offsetsOf(log)).toHaveLength(12);
    fileSystem.usableBytes = Number.MAX_SAFE_INTEGER;
    volume.clock.advance(5_000);
    await settle();
    await volume.logs.compact();
    expect(await offsetsOf(log)).toHaveLength(8);
  });

  test("an active segment is closed in time for max.compaction.lag.ms", async () => {
    const log = await volume.partition({ ...compacted, segmentBytes: 1_000_000, maxCompactionLagMs: 1_000 });
    await append(log, ["a", "1", 5_000]);
    await append(log, ["a", "2", 6_000]);
    await append(log, ["a", "3", 6_001]);
    await volume.logs.compact();
    expect(await offsetsOf(log)).toEqual([1, 2]);
  });
});
