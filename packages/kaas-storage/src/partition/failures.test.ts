import { ErrorCode, type PartitionLog } from "@kaas/core";
import { afterEach, describe, expect, test } from "vitest";
import { consume, values } from "../testing/batches.js";
import { LosingFileSystem, type Operation } from "../testing/losing-file-system.js";
import { openTestVolume, type TestVolume } from "../testing/open-test-volume.js";

const failing = (code: string) => Object.assign(new Error(`${code}: injected`), { code });
const isLog = (path: string) => path.endsWith(".log");

/** Fails one kind of operation on log files, as often as told. */
function fail(fileSystem: LosingFileSystem, what: Operation, code: string, times = 1): void {
  let left = times;
  fileSystem.before = (operation, path) => {
    if (operation === what && isLog(path) && left-- > 0) throw failing(code);
  };
}

const advances = (log: PartitionLog) =>
  new Promise<void>((resolve) => {
    const listener = { logAdvanced: () => (log.removeListener(listener), resolve()) };
    log.addListener(listener);
  });

/** Lets the log recover, however many attempts that takes. */
async function recovered(volume: TestVolume, log: PartitionLog): Promise<void> {
  while (log.health !== ErrorCode.NONE) {
    volume.clock.advance(10_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

let fileSystem = new LosingFileSystem();
afterEach(() => {
  fileSystem = new LosingFileSystem();
});

describe("a failed write or fsync", () => {
  for (const [operation, code] of [
    ["write", "EIO"],
    ["write", "ENOSPC"],
    ["sync", "EIO"],
    ["sync", "ENOSPC"],
    ["open", "EMFILE"],
    ["write", "EROFS"],
    ["sync", "EROFS"],
    ["open", "EROFS"],
  ] as const) {
    test(`${code} at ${operation}: nothing is acknowledged, and the log comes back at a new epoch`, async () => {
      const volume = await openTestVolume(fileSystem);
      const log = await volume.partition({ segmentBytes: 400 });
      for (const text of ["a", "b"]) expect((await log.append(values([text]), -1)).errorCode).toBe(ErrorCode.NONE);
      fail(fileSystem, operation, code);
      const batches = ["c", "d", "e", "f", "g", "h"].map((text) => values([text]));
      const results = await Promise.all(batches.map((one) => log.append(one, -1)));
      expect(results.at(-1)?.errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
      expect(log.health).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
      expect((await log.read(0, { maxBytes: 10, minOneBatch: true, isolation: "read_uncommitted" })).errorCode).toBe(
        ErrorCode.KAFKA_STORAGE_ERROR,
      );
      const kept = results.filter(({ errorCode }) => errorCode === ErrorCode.NONE).length;
      await recovered(volume, log);
      expect(log.leaderEpoch).toBe(1);
      const found = (await consume(log)).map(({ value }) => value);
      // What was not acknowledged may be there, but not out of order, and only once.
      expect(["a", "b", "c", "d", "e", "f", "g", "h"].slice(0, found.length)).toEqual(found);
      expect(found.length).toBeGreaterThanOrEqual(2 + kept);
      const next = await log.append(values(["next"]), -1);
      expect(next).toMatchObject({ errorCode: ErrorCode.NONE, baseOffset: found.length });
      await volume.close();
      expect(fileSystem.openHandles).toBe(0);
    });
  }

  test("an fsync that failed is not tried again on the same file", async () => {
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition();
    await log.append(values(["a"]), -1);
    fail(fileSystem, "sync", "EIO");
    expect((await log.append(values(["b"]), -1)).errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    const seen: string[] = [];
    fileSystem.before = (operation, path) => {
      if (path.endsWith("00000000-00000000000000000000.log")) seen.push(operation);
    };
    await volume.logs.enforceRetention();
    expect(await log.append(values(["c"]), -1)).toMatchObject({ errorCode: ErrorCode.KAFKA_STORAGE_ERROR });
    expect(seen).toEqual([]);
  });

  test("a segment that could not be closed is found by recovery, between those that could", async () => {
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition({ segmentBytes: 1 });
    let left = 1;
    fileSystem.before = (operation, path) => {
      if (operation === "write" && path.includes("tmp-") && left-- > 0) throw failing("EIO");
    };
    for (const text of ["a", "b", "c", "d"]) await log.append(values([text]), -1);
    await volume.logs.enforceRetention(); // after all that is going on in the background
    expect(left).toBeLessThan(0);
    for (let life = 0; life < 2; life++) {
      fileSystem = fileSystem.killed();
      const reopened = await (await openTestVolume(fileSystem)).partition();
      expect((await consume(reopened)).map(({ value }) => value)).toEqual(["a", "b", "c", "d"]);
    }
  });

  test("a segment that could not be closed is closed by the hand-over, or nothing is handed over", async () => {
    for (const failsTwice of [false, true]) {
      fileSystem = new LosingFileSystem();
      const volume = await openTestVolume(fileSystem);
      const log = await volume.partition({ segmentBytes: 1 });
      let left = 1;
      fileSystem.before = (operation, path) => {
        if (operation === "write" && path.includes("tmp-") && left-- > 0) throw failing("EIO");
      };
      for (const text of ["a", "b", "c", "d"]) await log.append(values([text]), -1);
      await volume.logs.enforceRetention();
      left = failsTwice ? 1 : 0;
      await volume.close();
      fileSystem = fileSystem.killed();
      const reopened = await (await openTestVolume(fileSystem)).partition();
      expect((await consume(reopened)).map(({ value }) => value)).toEqual(["a", "b", "c", "d"]);
    }
  });

  test("acks=1 has been answered by then, acks=all has not", async () => {
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition();
    await log.append(values(["a"]), -1);
    fail(fileSystem, "sync", "EIO");
    const [one, all] = await Promise.all([log.append(values(["b"]), 1), log.append(values(["c"]), -1)]);
    expect([one.errorCode, all.errorCode]).toEqual([ErrorCode.NONE, ErrorCode.KAFKA_STORAGE_ERROR]);
    expect(log.highWatermark).toBe(1);
  });

  test("those who wait for data are woken", async () => {
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition();
    await log.append(values(["a"]), -1);
    fail(fileSystem, "sync", "EIO");
    const woken = advances(log);
    void log.append(values(["b"]), -1);
    await woken;
    expect(log.health).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
  });

  test("recovery is tried again until it succeeds, less and less often", async () => {
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition();
    await log.append(values(["a"]), -1);
    let attempts = 0;
    fileSystem.before = (operation, path) => {
      if (operation === "open" && path.includes("/tmp-")) attempts++;
      if (path.startsWith("/data/t/0/")) throw failing("EIO");
    };
    await log.append(values(["b"]), -1);
    const settled = async (ms: number) => {
      await new Promise((resolve) => setImmediate(resolve));
      volume.clock.advance(ms);
      await new Promise((resolve) => setImmediate(resolve));
      return attempts;
    };
    expect(await settled(99)).toBe(0);
    expect(await settled(1)).toBe(1);
    expect(await settled(199)).toBe(1);
    expect(await settled(1)).toBe(2);
    fileSystem.before = () => undefined;
    await recovered(volume, log);
    expect((await consume(log)).length).toBeGreaterThanOrEqual(1);
  });

  test("a log that is being recovered can be released, and abandoned", async () => {
    for (const end of ["release", "abandon"] as const) {
      fileSystem = new LosingFileSystem();
      const volume = await openTestVolume(fileSystem);
      const openBefore = fileSystem.openHandles;
      const log = await volume.partition();
      await log.append(values(["a"]), -1);
      fail(fileSystem, "write", "EIO");
      await log.append(values(["b"]), -1);
      await volume.logs[end](log.id);
      expect(log.health).not.toBe(ErrorCode.NONE);
      expect(fileSystem.openHandles).toBe(openBefore);
      const again = await volume.partition();
      expect((await consume(again)).map(({ value }) => value)).toEqual(["a"]);
    }
  });

  test("a log whose last fsync fails while it is handed over is closed all the same", async () => {
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition();
    await log.append(values(["a"]), -1);
    fail(fileSystem, "sync", "EIO");
    const appended = log.append(values(["b"]), -1);
    await volume.logs.release(log.id);
    expect((await appended).errorCode).not.toBe(ErrorCode.NONE);
    expect((await consume(await volume.partition())).map(({ value }) => value)[0]).toBe("a");
  });
});

describe("a failed read", () => {
  test("is an error of that read alone", async () => {
    const volume = await openTestVolume(fileSystem, { tailCacheBytes: 0 });
    const log = await volume.partition();
    await log.append(values(["a"]), -1);
    fail(fileSystem, "read", "EIO");
    const options = { maxBytes: 1_000, minOneBatch: true, isolation: "read_uncommitted" } as const;
    expect((await log.read(0, options)).errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    expect((await log.read(0, options)).errorCode).toBe(ErrorCode.NONE);
  });
});

describe("a volume that is almost full", () => {
  test("refuses appends, serves everything else, and takes them again once there is space", async () => {
    const volume = await openTestVolume(fileSystem, { usableBytesMin: 1_000 });
    const log = await volume.partition();
    await log.append(values(["a"]), -1);
    fileSystem.usableBytes = 999;
    volume.clock.advance(5_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect((await log.append(values(["b"]), -1)).errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    expect(log.health).toBe(ErrorCode.NONE);
    expect(await consume(log)).toHaveLength(1);
    fileSystem.usableBytes = 1_000;
    volume.clock.advance(5_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect((await log.append(values(["b"]), -1)).errorCode).toBe(ErrorCode.NONE);
  });
});

describe("a disk that hangs", () => {
  test("lets so many bytes wait and no more", async () => {
    const volume = await openTestVolume(fileSystem, { queuedBytesMax: 1_000 });
    const log = await volume.partition();
    await log.append(values(["a"]), -1);
    let release = (): void => undefined;
    const hung = new Promise<void>((resolve) => {
      release = resolve;
    });
    fileSystem.beforeSync = () => hung;
    const waiting: Promise<{ errorCode: ErrorCode }>[] = [];
    for (let n = 0; n < 20; n++) {
      waiting.push(log.append(values([`${n}`]), -1));
      await Promise.resolve();
      await Promise.resolve();
    }
    const refused = await Promise.race(waiting.slice(-1));
    expect(refused.errorCode).toBe(ErrorCode.REQUEST_TIMED_OUT);
    release();
    const codes = (await Promise.all(waiting)).map(({ errorCode }) => errorCode);
    expect(codes.lastIndexOf(ErrorCode.NONE)).toBe(codes.indexOf(ErrorCode.REQUEST_TIMED_OUT) - 1);
    expect(log.highWatermark).toBe(1 + codes.indexOf(ErrorCode.REQUEST_TIMED_OUT));
  });
});

describe("closing a segment", () => {
  test.each([
    ["sync", "EIO", 0],
    ["close", "EIO", 1],
    ["close", "ENOSPC", 0],
  ] as const)(
    "whose %s fails with %s, flush.messages=%s: the log is recovered at a new epoch",
    async (what, code, flushMessages) => {
      const volume = await openTestVolume(fileSystem);
      const log = await volume.partition({ segmentBytes: 1, flushMessages });
      await log.append(values(["a"]), -1);
      fail(fileSystem, what, code);
      // Begins the next segment, and closes the one before in the background.
      await log.append(values(["b"]), -1);
      for (let n = 0; n < 50 && log.leaderEpoch === 0; n++) {
        volume.clock.advance(1_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await recovered(volume, log);
      expect(log.leaderEpoch).toBe(1);
      expect((await consume(log)).map(({ value }) => value)).toEqual(["a", "b"]);
      expect((await log.append(values(["c"]), -1)).baseOffset).toBe(2);
      await volume.close();
      expect(fileSystem.openHandles).toBe(0);
    },
  );
});

describe("what fails for good", () => {
  test.each(["EROFS", "ENOSPC", "EMFILE", "EIO"])(
    "(%s) keeps one partition from serving, not the others, and it comes back by itself when the cause is gone",
    async (code) => {
      const volume = await openTestVolume(fileSystem);
      const log = await volume.partition();
      const topic = await volume.topics.create("other", 1, {});
      const { defaultLogConfig } = await import("../testing/log-config.js");
      const other = await volume.logs.open({ topic: "other", topicId: topic.id, partition: 0 }, defaultLogConfig);
      await log.append(values(["a"]), -1);
      fileSystem.before = (operation, path) => {
        if (operation !== "read" && path.startsWith("/data/t/")) throw failing(code);
      };
      expect((await log.append(values(["b"]), -1)).errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
      for (let n = 0; n < 20; n++) {
        volume.clock.advance(10_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(log.health).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
      expect((await other.append(values(["c"]), -1)).errorCode).toBe(ErrorCode.NONE);
      fileSystem.before = () => undefined;
      await recovered(volume, log);
      expect((await log.append(values(["d"]), -1)).errorCode).toBe(ErrorCode.NONE);
      expect((await consume(log))[0]?.value).toBe("a");
    },
  );
});
