import { describe, expect, test } from "vitest";
import { consume, recordsOf, values } from "../testing/batches.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, type TestVolume } from "../testing/open-test-volume.js";

/** A file system whose fsyncs of log files return when the test says so. */
function heldSyncs(): { fileSystem: LosingFileSystem; held: (() => void)[] } {
  const fileSystem = new LosingFileSystem();
  const held: (() => void)[] = [];
  fileSystem.beforeSync = (path) =>
    path.endsWith(".log") ? new Promise((resolve) => held.push(() => resolve())) : Promise.resolve();
  return { fileSystem, held };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Appends and keeps track of which were answered. */
function tracked() {
  const answered: string[] = [];
  return {
    answered,
    note: (name: string) => (result: { errorCode: number }) =>
      void answered.push(result.errorCode === 0 ? name : "error"),
  };
}

describe("group commit", () => {
  test("what is appended in one turn shares an fsync; what comes meanwhile shares the next ones", async () => {
    const { fileSystem, held } = heldSyncs();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition();
    const { answered, note } = tracked();
    for (const name of ["a", "b", "c"]) void log.append(values([name]), -1).then(note(name));
    await turn();
    expect(held).toHaveLength(1);
    void log.append(values(["d"]), -1).then(note("d"));
    await turn();
    // A second group is written and fsynced while the first one is.
    expect(held).toHaveLength(2);
    for (const name of ["e", "f"]) void log.append(values([name]), -1).then(note(name));
    await turn();
    expect(held).toHaveLength(2);
    expect([answered, log.highWatermark]).toEqual([[], 0]);
    held[0]?.();
    await turn();
    expect([answered, log.highWatermark, held.length]).toEqual([["a", "b", "c"], 3, 3]);
    held[1]?.();
    held[2]?.();
    await turn();
    expect([answered, log.highWatermark]).toEqual([["a", "b", "c", "d", "e", "f"], 6]);
  });

  test("groups are confirmed in order, whichever fsync returns first", async () => {
    const { fileSystem, held } = heldSyncs();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition();
    const { answered, note } = tracked();
    void log.append(values(["a"]), -1).then(note("a"));
    await turn();
    void log.append(values(["b"]), -1).then(note("b"));
    await turn();
    held[1]?.();
    await turn();
    expect([answered, log.highWatermark]).toEqual([[], 0]);
    held[0]?.();
    await turn();
    expect([answered, log.highWatermark]).toEqual([["a", "b"], 2]);
  });

  test("acks 0 and 1 are answered once written, and seen once durable", async () => {
    const { fileSystem, held } = heldSyncs();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition();
    const { answered, note } = tracked();
    void log.append(values(["a"]), 0).then(note("a"));
    void log.append(values(["b"]), 1).then(note("b"));
    await turn();
    expect([answered, log.highWatermark, log.logEndOffset]).toEqual([["a", "b"], 0, 2]);
    expect((await log.read(0, { maxBytes: 1e6, minOneBatch: true, isolation: "read_uncommitted" })).records).toEqual(
      [],
    );
    held[0]?.();
    await turn();
    expect(await consume(log)).toHaveLength(2);
  });

  test("nobody sees what is written and not durable, in memory or in the file", async () => {
    for (const tailCacheBytes of [1e6, 0]) {
      const { fileSystem, held } = heldSyncs();
      const volume = await openTestVolume(fileSystem, { tailCacheBytes });
      const log = await volume.partition();
      void log.append(values(["a"]), -1);
      await turn();
      void log.append(values(["b"]), -1);
      await turn();
      held[0]?.();
      await turn();
      expect([log.highWatermark, log.logEndOffset]).toEqual([1, 2]);
      const { records } = await log.read(0, { maxBytes: 1e6, minOneBatch: true, isolation: "read_uncommitted" });
      expect((await recordsOf(records)).map(({ value }) => value)).toEqual(["a"]);
      expect(await log.offsetForTimestamp(0, "read_uncommitted")).toMatchObject({ offset: 0 });
      held[1]?.();
      await turn();
    }
  });

  test("a retry is not answered before the original is durable", async () => {
    const { fileSystem, held } = heldSyncs();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition();
    const { answered, note } = tracked();
    const batch = () => values(["a"], { producerId: 1, producerEpoch: 0, baseSequence: 0 });
    void log.append(batch(), -1).then(note("original"));
    void log.append(batch(), -1).then(note("retry"));
    void log.append(batch(), 1).then(note("careless retry"));
    await turn();
    expect(answered).toEqual([]);
    held[0]?.();
    await turn();
    expect(answered).toEqual(["original", "retry", "careless retry"]);
    expect(log.logEndOffset).toBe(1);
  });

  test("no more fsyncs run at once than there are slots, and every log has its turn", async () => {
    const { fileSystem, held } = heldSyncs();
    const volume = await openTestVolume(fileSystem, { concurrentSyncs: 3 });
    const topic = await volume.topics.create("many", 8, {});
    const config = (await import("../testing/log-config.js")).defaultLogConfig;
    const logs = await Promise.all(
      Array.from({ length: 8 }, (_, partition) =>
        volume.logs.open({ topic: "many", topicId: topic.id, partition }, config),
      ),
    );
    const { answered, note } = tracked();
    for (const [n, log] of logs.entries()) void log.append(values(["x"]), -1).then(note(`${n}`));
    await turn();
    for (let released = 0; released < 8; released++) {
      expect(held.length).toBe(Math.min(8, released + 3));
      held[released]?.();
      await turn();
    }
    expect(answered.sort()).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
  });

  test("a new segment's name is durable before its records are acknowledged", async () => {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition({ segmentBytes: 1 });
    for (const name of ["a", "b", "c"]) {
      await log.append(values([name]), -1);
      const after = await openTestVolume(fileSystem.crashed());
      expect((await consume(await after.partition())).at(-1)?.value).toBe(name);
    }
  });
});

describe("flush.messages", () => {
  test("0: acknowledged once written, fsynced when the segment is closed", async () => {
    const { fileSystem, held } = heldSyncs();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition({ flushMessages: 0, segmentBytes: 200 });
    await log.append(values(["a"]), -1);
    await log.append(values(["b"]), -1);
    expect([log.highWatermark, held.length]).toEqual([2, 0]);
    await log.append(values(["c"]), -1);
    await turn();
    expect([log.highWatermark, held.length]).toEqual([3, 1]);
    held[0]?.();
    const closed = volume.close();
    await turn();
    // Handing over fsyncs what is left.
    expect(held.length).toBe(2);
    held[1]?.();
    await closed;
    const after = await openTestVolume(fileSystem.crashed());
    expect(await consume(await after.partition())).toHaveLength(3);
  });

  test("N: fsynced in the background every N messages", async () => {
    const { fileSystem, held } = heldSyncs();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition({ flushMessages: 3 });
    await log.append(values(["a", "b"]), -1);
    expect(held).toHaveLength(0);
    await log.append(values(["c"]), -1);
    await turn();
    expect([log.highWatermark, held.length]).toEqual([3, 1]);
    held[0]?.();
    await turn();
    const after = await openTestVolume(fileSystem.crashed());
    expect(await consume(await after.partition())).toHaveLength(3);
  });

  test("flush.ms: fsynced in the background after so long", async () => {
    const { fileSystem, held } = heldSyncs();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition({ flushMessages: 1_000, flushMs: 50 });
    await log.append(values(["a"]), -1);
    volume.clock.advance(49);
    await turn();
    expect(held).toHaveLength(0);
    volume.clock.advance(1);
    await turn();
    expect(held).toHaveLength(1);
  });

  test("can be changed while the log is open", async () => {
    const { fileSystem, held } = heldSyncs();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition({ flushMessages: 0 });
    await log.append(values(["a"]), -1);
    log.configure({ ...(await import("../testing/log-config.js")).defaultLogConfig, flushMessages: 1 });
    const { answered, note } = tracked();
    void log.append(values(["b"]), -1).then(note("b"));
    await turn();
    expect([answered, held.length]).toEqual([[], 1]);
    held[0]?.();
    await turn();
    const after = await openTestVolume(fileSystem.crashed());
    expect(await consume(await after.partition())).toHaveLength(2);
  });
});

/** Lets every write take so long that those after it are asynchronous. */
function stall(fileSystem: LosingFileSystem, { clock }: TestVolume): void {
  fileSystem.before = (operation, path) => {
    if (operation === "write" && path.endsWith(".log")) clock.advance(5);
  };
}

describe("stalled writes", () => {
  test("make the log write asynchronously, with the same result", async () => {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition();
    stall(fileSystem, volume);
    const results = [];
    for (let n = 0; n < 200; n++) results.push(log.append(values([`${n}`]), n % 3 === 0 ? 1 : -1));
    expect((await Promise.all(results)).map(({ baseOffset }) => baseOffset)).toEqual(
      Array.from({ length: 200 }, (_, n) => n),
    );
    expect((await consume(log)).map(({ value }) => Number(value))).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });

  test("are read in the order of their offsets, whichever returns first", async () => {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition();
    stall(fileSystem, volume);
    await log.append(values(["0"]), -1);
    const held: (() => void)[] = [];
    fileSystem.afterWrite = (path) =>
      path.endsWith(".log") ? new Promise((resolve) => held.push(() => resolve())) : Promise.resolve();
    const appends = [log.append(values(["1"]), -1)];
    await turn();
    appends.push(log.append(values(["2"]), -1));
    await turn();
    expect(held).toHaveLength(2);
    held[1]?.();
    await turn();
    held[0]?.();
    await Promise.all(appends);
    const { records } = await log.read(0, { maxBytes: 1e6, minOneBatch: true, isolation: "read_uncommitted" });
    expect((await recordsOf(records)).map(({ offset }) => offset)).toEqual([0, 1, 2]);
  });

  test("acks=1 is answered in order: what comes before has been written as well", async () => {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition();
    stall(fileSystem, volume);
    await log.append(values(["0"]), -1);
    const held: (() => void)[] = [];
    fileSystem.beforeWrite = (path) =>
      path.endsWith(".log") ? new Promise((resolve) => held.push(() => resolve())) : Promise.resolve();
    const { answered, note } = tracked();
    void log.append(values(["1"]), 1).then(note("1"));
    await turn();
    void log.append(values(["2"]), 1).then(note("2"));
    await turn();
    held[1]?.();
    await turn();
    expect(answered).toEqual([]);
    held[0]?.();
    await turn();
    expect(answered).toEqual(["1", "2"]);
  });

  test("a checkpoint does not cover bytes that have not arrived", async () => {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition();
    stall(fileSystem, volume);
    await log.append(values(["0"]), -1);
    let writes = 0;
    fileSystem.beforeWrite = (path) =>
      path.endsWith(".log") && ++writes === 1 ? new Promise(() => {}) : Promise.resolve();
    void log.append(values(["1"]), -1); // never arrives
    await turn();
    void log.append(values(["2"]), -1); // arrives, and is fsynced
    await turn();
    volume.clock.advance(60_000);
    for (let turns = 0; turns < 20; turns++) await turn(); // the checkpoint is written
    const again = await openTestVolume(fileSystem.killed());
    expect((await consume(await again.partition())).map(({ value }) => value)).toEqual(["0"]);
  });
});

describe("writing ahead", () => {
  test("zeros are written ahead of all data on its way, not only of what has arrived", async () => {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem, { tailCacheBytes: 0 });
    const log = await volume.partition({ maxMessageBytes: 1e6 });
    stall(fileSystem, volume);
    await log.append(values(["0"]), -1); // took so long that the next writes are asynchronous
    const held: (() => void)[] = [];
    fileSystem.beforeWrite = (path) =>
      path.endsWith(".log") ? new Promise((resolve) => held.push(() => resolve())) : Promise.resolve();
    // The second group reaches far beyond where zeros would begin if only the first counted.
    const first = "1".repeat(200_000);
    const second = "2".repeat(400_000);
    const appends = [log.append(values([first]), -1)];
    await turn();
    appends.push(log.append(values([second]), -1));
    await turn();
    // The first returns, then the second, and whatever was begun in between comes last.
    while (held.length > 0) {
      held.shift()?.();
      await turn();
    }
    await Promise.all(appends);
    expect((await consume(log)).map(({ value }) => value)).toEqual(["0", first, second]);
  });

  test("zeros never overwrite data, however late they arrive", async () => {
    const fileSystem = new LosingFileSystem();
    const late: (() => void)[] = [];
    fileSystem.beforeWrite = (path) =>
      path.endsWith(".log") ? new Promise((resolve) => late.push(() => resolve())) : Promise.resolve();
    const volume = await openTestVolume(fileSystem, { tailCacheBytes: 0 });
    const log = await volume.partition({ maxMessageBytes: 1e6 });
    const value = "x".repeat(20_000);
    const appends: Promise<unknown>[] = [];
    for (let n = 0; n < 20; n++) {
      appends.push(log.append(values([`${n}${value}`]), -1));
      await turn();
    }
    // The data waits where zeros are under way.
    expect(log.highWatermark).toBeLessThan(20);
    for (let turns = 0; turns < 50; turns++) {
      late.shift()?.();
      await turn();
    }
    await Promise.all(appends);
    expect((await consume(log)).map((record) => Number(record.value.slice(0, -value.length)))).toEqual(
      Array.from({ length: 20 }, (_, n) => n),
    );
    for (const release of late) release();
    fileSystem.beforeWrite = async () => undefined;
    await volume.close();
    const [name] = (await fileSystem.list("/data/t/0"))
      .map((entry) => entry.name)
      .filter((one) => one.endsWith(".log"));
    expect((await fileSystem.readFile(`/data/t/0/${name}`)).length).toBe(log.sizeBytes);
  });

  test("ends where the volume is full, and the data goes on as long as it can", async () => {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition();
    await log.append(values(["a"]), -1);
    fileSystem.beforeWrite = async (path) => {
      if (path.endsWith(".log")) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    };
    for (let n = 0; n < 10; n++) expect((await log.append(values(["x".repeat(30_000)]), -1)).errorCode).toBe(0);
    expect(await consume(log)).toHaveLength(11);
  });
});
