import { ErrorCode } from "@kaas/core";
import { beforeEach, describe, expect, test } from "vitest";
import { consume, values } from "../testing/batches.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, recordingLog } from "../testing/open-test-volume.js";

let fileSystem: LosingFileSystem;
let resume: () => void;

/** Files whose names end so hang in fsync until {@link resume} is called. */
function hang(ending: string): void {
  const held = new Promise<void>((resolve) => {
    resume = resolve;
  });
  fileSystem.beforeSync = (path) => (path.endsWith(ending) ? held : Promise.resolve());
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  fileSystem = new LosingFileSystem();
});

async function pass(volume: { clock: { advance(ms: number): void } }, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    volume.clock.advance(1_000);
    await turn();
  }
}

const producer = (value: string, baseSequence: number) =>
  values([value], { producerId: 1, producerEpoch: 0, baseSequence });

describe("a volume that hangs", () => {
  test("fails those who wait, with an error that clients retry, and goes on when it comes back", async () => {
    const log = recordingLog();
    const volume = await openTestVolume(fileSystem, { log });
    const partition = await volume.partition();
    expect((await partition.append(producer("a", 0), -1)).errorCode).toBe(ErrorCode.NONE);
    hang(".log");
    const waiting = [1, 2, 3, 4].map((n) => partition.append(producer(`${n}`, n), -1));
    await pass(volume, 29_000);
    expect(volume.status()).toBe("ok");
    await pass(volume, 8_000);
    expect((await Promise.all(waiting)).map(({ errorCode }) => errorCode)).toEqual(
      waiting.map(() => ErrorCode.REQUEST_TIMED_OUT),
    );
    expect(volume.status()).toBe("storage_stalled");
    expect(log.lines.filter(({ message }) => message.startsWith("storage_stalled"))).toHaveLength(1);
    // Nobody else is let wait, and nothing is kept for them.
    expect((await partition.append(producer("5", 5), -1)).errorCode).toBe(ErrorCode.REQUEST_TIMED_OUT);
    fileSystem.beforeSync = async () => undefined;
    resume();
    await pass(volume, 6_000);
    expect(volume.status()).toBe("ok");
    // The retry of what had its place all the while is recognised.
    const retried = await partition.append(producer("1", 1), -1);
    expect(retried).toMatchObject({ errorCode: ErrorCode.NONE, baseOffset: 1 });
    expect((await partition.append(producer("5", 5), -1)).baseOffset).toBe(5);
    expect((await consume(partition)).map(({ value }) => value)).toEqual(["a", "1", "2", "3", "4", "5"]);
    await volume.close();
  });

  test("fails reads that wait for it, and gives back their memory when it answers after all", async () => {
    const volume = await openTestVolume(fileSystem, { sharing: "shared", brokerName: "kaas-0", tailCacheBytes: 0 });
    const partition = await volume.partition();
    await partition.append(producer("a", 0), -1);
    const held = new Promise<void>((resolve) => {
      resume = resolve;
    });
    fileSystem.beforeRead = (path) => (path.endsWith(".log") ? held : Promise.resolve());
    const options = { maxBytes: 1_000, minOneBatch: true, isolation: "read_uncommitted" } as const;
    const reading = partition.read(0, options);
    await pass(volume, 29_000);
    expect(volume.status()).toBe("ok");
    await pass(volume, 8_000);
    expect((await reading).errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    expect(volume.status()).toBe("storage_stalled");
    const later = partition.read(0, options);
    await pass(volume, 6_000);
    expect((await later).errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    fileSystem.beforeRead = async () => undefined;
    resume();
    await pass(volume, 6_000);
    expect(volume.status()).toBe("ok");
    expect((await consume(partition)).map(({ value }) => value)).toEqual(["a"]);
    await volume.close();
    expect(fileSystem.openHandles).toBe(0);
  });

  test("does not hold up the other partitions", async () => {
    const volume = await openTestVolume(fileSystem, { concurrentSyncs: 2 });
    const { defaultLogConfig } = await import("../testing/log-config.js");
    const topic = await volume.topics.create("two", 2, {});
    const [one, two] = await Promise.all(
      [0, 1].map((partition) => volume.logs.open({ topic: "two", topicId: topic.id, partition }, defaultLogConfig)),
    );
    if (one === undefined || two === undefined) throw new Error("two were opened");
    await one.append(values(["a"]), -1);
    const held = new Promise<void>((resolve) => {
      resume = resolve;
    });
    fileSystem.beforeSync = (path) => (path.includes("/two/0/") ? held : Promise.resolve());
    const stalled = one.append(values(["b"]), -1);
    await turn();
    expect((await two.append(values(["c"]), -1)).errorCode).toBe(ErrorCode.NONE);
    await pass(volume, 36_000);
    expect((await stalled).errorCode).toBe(ErrorCode.REQUEST_TIMED_OUT);
    expect((await two.append(values(["d"]), -1)).errorCode).toBe(ErrorCode.NONE);
    resume();
    await volume.close();
  });

  test("is not waited for by everybody: while fsyncs do not come back, no write is synchronous", async () => {
    const volume = await openTestVolume(fileSystem);
    const { defaultLogConfig } = await import("../testing/log-config.js");
    const topic = await volume.topics.create("two", 2, {});
    const [one, two] = await Promise.all(
      [0, 1].map((partition) => volume.logs.open({ topic: "two", topicId: topic.id, partition }, defaultLogConfig)),
    );
    if (one === undefined || two === undefined) throw new Error("two were opened");
    for (const log of [one, two]) await log.append(values(["a"]), -1);
    const asynchronous: string[] = [];
    fileSystem.beforeWrite = async (path) => void asynchronous.push(path);
    hang(".log");
    const waiting = [one.append(values(["b"]), -1)];
    await turn();
    expect(asynchronous.filter((path) => path.endsWith(".log"))).toEqual([]);
    volume.clock.advance(51);
    waiting.push(two.append(values(["b"]), -1));
    await turn();
    expect(asynchronous.filter((path) => path.includes("/two/1/"))).toHaveLength(1);
    resume();
    expect((await Promise.all(waiting)).map(({ errorCode }) => errorCode)).toEqual([ErrorCode.NONE, ErrorCode.NONE]);
    await volume.close();
  });

  test("fails what a coordinator waits for: its journal is given up, and the next one has what became durable", async () => {
    const volume = await openTestVolume(fileSystem);
    const journal = await volume.slotJournals.open("groups", 3);
    await journal.append("a");
    hang(".journal");
    const appended = journal.append("b");
    appended.catch(() => undefined);
    await pass(volume, 36_000);
    await expect(appended).rejects.toMatchObject({ code: "KAAS_STORAGE_FAILED" });
    await expect(journal.append("c")).rejects.toMatchObject({ code: "KAAS_STORAGE_FAILED" });
    fileSystem.beforeSync = async () => undefined;
    resume();
    const next = await volume.slotJournals.open("groups", 3);
    expect(next.recovered().entries).toEqual(["a", "b"]);
  });

  test("as its fuse does, acknowledges nothing", async () => {
    const volume = await openTestVolume(fileSystem, { sharing: "shared", brokerName: "kaas-0" });
    const partition = await volume.partition();
    const held = new Promise<void>((resolve) => {
      resume = resolve;
    });
    fileSystem.beforeRead = (path) => (path.endsWith(".fuse") ? held : Promise.resolve());
    const append = partition.append(values(["a"]), -1);
    const careless = partition.append(values(["b"]), 1);
    await pass(volume, 36_000);
    expect((await append).errorCode).toBe(ErrorCode.REQUEST_TIMED_OUT);
    expect((await careless).errorCode).toBe(ErrorCode.REQUEST_TIMED_OUT);
    expect(partition.highWatermark).toBe(0);
    resume();
    await turn();
    expect(partition.highWatermark).toBe(2);
  });
});

describe("a disk that is slower than the producers", () => {
  test("bounds what waits for it in all partitions together, and leaves something for those that do not hang", async () => {
    const volume = await openTestVolume(fileSystem, { queuedBytesMax: 60_000, concurrentSyncs: 24 });
    const { defaultLogConfig } = await import("../testing/log-config.js");
    const topic = await volume.topics.create("many", 11, {});
    const logs = await Promise.all(
      Array.from({ length: 11 }, (_, partition) =>
        volume.logs.open({ topic: "many", topicId: topic.id, partition }, defaultLogConfig),
      ),
    );
    const well = logs.pop();
    for (const log of logs) await log.append(values(["first"]), -1);
    const held = new Promise<void>((resolve) => {
      resume = resolve;
    });
    fileSystem.beforeSync = (path) => (path.includes("/many/10") ? Promise.resolve() : held);
    const batch = values(["x".repeat(1_000)]);
    const appends: Promise<{ errorCode: ErrorCode }>[] = [];
    for (let n = 0; n < 60; n++) {
      for (const log of logs) appends.push(log.append(Buffer.from(batch), -1));
      await turn();
    }
    expect((await well?.append(Buffer.from(batch), -1))?.errorCode).toBe(ErrorCode.NONE);
    resume();
    const results = await Promise.all(appends);
    const taken = results.filter(({ errorCode }) => errorCode === ErrorCode.NONE).length;
    // Two groups of each are on their way and written; what is queued behind them is what is counted.
    expect(taken * batch.length).toBeLessThan(60_000 + 2 * logs.length * batch.length);
    expect(taken).toBeGreaterThan(30);
    // All of it is free again.
    expect((await logs[0]?.append(values(["y".repeat(29_000)]), -1))?.errorCode).toBe(ErrorCode.NONE);
    await volume.close();
  });

  test("bounds what waits for it", async () => {
    const volume = await openTestVolume(fileSystem, { queuedBytesMax: 10_000 });
    const partition = await volume.partition();
    await partition.append(values(["first"]), -1);
    hang(".log");
    const appends = Array.from({ length: 300 }, () => partition.append(values(["x".repeat(1_000)]), -1));
    await turn();
    resume();
    const results = await Promise.all(appends);
    const refused = results.filter(({ errorCode }) => errorCode === ErrorCode.REQUEST_TIMED_OUT);
    expect(refused.length).toBeGreaterThan(280);
    expect(results.filter(({ errorCode }) => errorCode === ErrorCode.NONE).length).toBe(300 - refused.length);
    expect((await partition.append(values(["last"]), -1)).baseOffset).toBe(301 - refused.length);
  });
});

describe("flush.ms", () => {
  test("is the longest that a log which does not fsync every group waits with it", async () => {
    const volume = await openTestVolume(fileSystem);
    const partition = await volume.partition({ flushMessages: 0, flushMs: 500 });
    let synced = 0;
    fileSystem.before = (operation, path) => {
      if (operation === "sync" && path.endsWith(".log")) synced++;
    };
    await partition.append(values(["a"]), -1);
    await partition.append(values(["b"]), -1);
    volume.clock.advance(499);
    await turn();
    expect(synced).toBe(0);
    volume.clock.advance(1);
    await turn();
    expect(synced).toBe(1);
    volume.clock.advance(5_000);
    await turn();
    expect(synced).toBe(1);
    await partition.append(values(["c"]), -1);
    volume.clock.advance(500);
    await turn();
    expect(synced).toBe(2);
    fileSystem = fileSystem.crashed();
    const after = await (await openTestVolume(fileSystem)).partition();
    expect((await consume(after)).map(({ value }) => value)).toEqual(["a", "b", "c"]);
  });
});
