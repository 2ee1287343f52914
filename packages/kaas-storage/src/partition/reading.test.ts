import { randomBytes } from "node:crypto";
import { ErrorCode } from "@kaas/core";
import { expect, test } from "vitest";
import { consume, recordsOf, values } from "../testing/batches.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume } from "../testing/open-test-volume.js";

const options = { maxBytes: 1_000, minOneBatch: true, isolation: "read_uncommitted" } as const;

test("a file that answers slowly is read asynchronously until it is quick again", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem, { tailCacheBytes: 0 });
  const log = await volume.partition();
  for (let n = 0; n < 30; n++) await log.append(values([`${n}`]), -1);
  const isAsync = () => log.read(0, options) instanceof Promise;
  expect(isAsync()).toBe(false);
  fileSystem.before = (operation, path) => {
    if (operation === "read" && path.endsWith(".log")) volume.clock.advance(3);
  };
  expect(isAsync()).toBe(false);
  expect(isAsync()).toBe(true);
  expect((await consume(log)).map(({ value }) => Number(value))).toEqual(Array.from({ length: 30 }, (_, n) => n));
  fileSystem.before = (operation) => {
    if (operation === "read") throw Object.assign(new Error("EIO"), { code: "EIO" });
  };
  expect((await log.read(3, options)).errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
  fileSystem.before = () => undefined;
  for (let n = 0; n < 20; n++) await log.read(n, options);
  expect(isAsync()).toBe(false);
  await volume.close();
  expect(fileSystem.openHandles).toBe(0);
});

test("closed segments are opened when somebody reads them, and stay open for the next", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  const log = await volume.partition({ segmentBytes: 1 });
  for (let n = 0; n < 3; n++) await log.append(values([`${n}`]), -1);
  await volume.close();
  const again = await openTestVolume(fileSystem);
  const reopened = await again.partition();
  expect(reopened.read(1, options)).toBeInstanceOf(Promise);
  const first = await Promise.all([reopened.read(1, options), reopened.read(1, options)]);
  for (const { records } of first) expect(await recordsOf(records)).toMatchObject([{ offset: 1, value: "1" }]);
  expect(reopened.read(1, options)).not.toBeInstanceOf(Promise);
  fileSystem.before = (operation, path) => {
    if (operation === "open" && path.endsWith(".log")) throw Object.assign(new Error("EMFILE"), { code: "EMFILE" });
  };
  expect((await reopened.read(0, options)).errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
  fileSystem.before = () => undefined;
  expect(await consume(reopened)).toHaveLength(3);
});

test("batches of several megabytes are appended, read and recovered", async () => {
  const fileSystem = new LosingFileSystem();
  const large = [3_000_000, 10, 1_048_576, 2_000_000].map((size) => randomBytes(size / 2).toString("hex"));
  const volume = await openTestVolume(fileSystem, { tailCacheBytes: 1_000_000 });
  const log = await volume.partition({ maxMessageBytes: 10_000_000 });
  for (const value of large) expect((await log.append(values([value]), -1)).errorCode).toBe(ErrorCode.NONE);
  expect((await consume(log)).map(({ value }) => value === large[0] || large.includes(value))).toEqual(
    Array(4).fill(true),
  );
  const after = fileSystem.crashed();
  const recovered = await (await openTestVolume(after, { tailCacheBytes: 0 })).partition();
  expect((await consume(recovered)).map(({ value }) => large.indexOf(value))).toEqual([0, 1, 2, 3]);
  const damaged = fileSystem.crashed();
  damaged.garble("/data/t/0/00000000-00000000000000000000.log", (content) => {
    content[2_500_000] = (content[2_500_000] as number) ^ 1;
    return content;
  });
  expect((await (await openTestVolume(damaged)).partition()).logEndOffset).toBe(0);
});

test("a file that was cut behind our back is an error, not a wrong answer", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem, { tailCacheBytes: 0 });
  const log = await volume.partition();
  for (let n = 0; n < 3; n++) await log.append(values([`${n}`]), -1);
  const path = "/data/t/0/00000000-00000000000000000000.log";
  fileSystem.garble(path, (content) => content.subarray(0, 100));
  expect((await log.read(0, options)).errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
  fileSystem.garble(path, () => Buffer.alloc(1_000));
  expect((await log.read(0, options)).errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
});

test("the event loop waits for no file of a volume that brokers share", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem, { tailCacheBytes: 0, sharing: "shared", brokerName: "kaas-0" });
  const log = await volume.partition();
  let asyncWrites = 0;
  fileSystem.beforeWrite = async (path) => {
    if (path.endsWith(".log")) asyncWrites++;
  };
  for (let n = 0; n < 20; n++) await log.append(values([`${n}`]), -1);
  expect(asyncWrites).toBeGreaterThanOrEqual(20);
  for (let n = 0; n < 20; n++) expect(log.read(n, options)).toBeInstanceOf(Promise);
  expect((await consume(log)).map(({ value }) => Number(value))).toEqual(Array.from({ length: 20 }, (_, n) => n));
  await volume.close();
});

test("what a bad sector takes of an index is made anew; of a segment, it is said", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  const log = await volume.partition({ segmentBytes: 200, indexIntervalBytes: 1 });
  for (let n = 0; n < 9; n++) await log.append(values([`${n}`], {}, 1_000 + n), -1);
  await volume.close();
  const again = await openTestVolume(fileSystem, { tailCacheBytes: 0 });
  const reopened = await again.partition();
  const bad = (files: RegExp) => {
    fileSystem.before = (operation, path) => {
      if (operation === "read" && files.test(path)) throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
    };
  };
  bad(/index$/);
  expect((await consume(reopened)).map(({ value }) => value)).toEqual([..."012345678"]);
  expect(await reopened.offsetForTimestamp(1_004, "read_uncommitted")).toMatchObject({ offset: 4 });
  bad(/\.log$/);
  await expect(reopened.offsetForTimestamp(1_004, "read_uncommitted")).rejects.toMatchObject({
    code: "KAAS_STORAGE_FAILED",
    message: expect.stringContaining("/data/t/0 could not be searched by time: EIO"),
  });
});

test("a batch whose offset was changed on the disk is not served", async () => {
  for (const [at, bit] of [
    [0, 0x20],
    [4, 0x01],
    [7, 0x01],
    [7, 0x04],
  ] as const) {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition();
    for (let n = 0; n < 5; n++) await log.append(values([`${n}`]), -1);
    await volume.close();
    const size = values(["0"]).length;
    fileSystem.garble("/data/t/0/00000000-00000000000000000000.log", (content) => {
      content[2 * size + at] = (content[2 * size + at] as number) ^ bit;
      return content;
    });
    const reopened = await (await openTestVolume(fileSystem, { tailCacheBytes: 0 })).partition();
    const before = await reopened.read(0, { ...options, maxBytes: 2 * size });
    expect([before.errorCode, before.sizeBytes]).toEqual([ErrorCode.NONE, 2 * size]);
    expect((await reopened.read(0, options)).errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    before.lease?.release();
  }
});
