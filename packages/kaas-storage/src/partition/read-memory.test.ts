import { randomBytes } from "node:crypto";
import { ErrorCode, type PartitionLog, type ReadResult } from "@kaas/core";
import { beforeEach, describe, expect, test } from "vitest";
import { recordsOf, values } from "../testing/batches.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, type TestVolume } from "../testing/open-test-volume.js";
import { SHORT_READ_BYTES } from "./read-memory.js";

const options = { maxBytes: 1_000_000, minOneBatch: true, isolation: "read_uncommitted" } as const;
const BATCHES = 40;

let fileSystem: LosingFileSystem;
beforeEach(() => {
  fileSystem = new LosingFileSystem();
});

/** A log of batches of about 20 kB. */
async function filled(tailCacheBytes: number, readBytesMax?: number): Promise<[PartitionLog, TestVolume]> {
  const bounds = readBytesMax === undefined ? {} : { readBytesMax };
  const volume = await openTestVolume(fileSystem, { tailCacheBytes, ...bounds });
  const log = await volume.partition();
  for (let n = 0; n < BATCHES; n++) await log.append(values([randomBytes(10_000).toString("hex")]), -1);
  return [log, volume];
}

async function read(log: PartitionLog, offset = 0, changed: Partial<typeof options> = {}): Promise<ReadResult> {
  const result = await log.read(offset, { ...options, ...changed });
  expect(result.errorCode).toBe(ErrorCode.NONE);
  return result;
}

const bufferOf = ({ records }: ReadResult): unknown => records[0]?.buffer;

/** Compared here: a matcher that fails would print megabytes. */
const sharesBuffer = (one: ReadResult, other: ReadResult): boolean => bufferOf(one) === bufferOf(other);

test("the next read uses the buffer that the last one gave back", async () => {
  const [log] = await filled(0);
  const sameSize = { maxBytes: 100_000 } as never;
  const first = await read(log, 0, sameSize);
  const second = await read(log, 1, sameSize);
  expect(sharesBuffer(second, first)).toBe(false);
  first.lease?.release();
  expect(sharesBuffer(await read(log, 2, sameSize), first)).toBe(true);
});

test("records do not change before their release, whatever else is read, and are not to be looked at after it", async () => {
  const [log] = await filled(0);
  const held = await read(log, 3);
  const before = Buffer.concat(held.records);
  for (let n = 0; n < BATCHES; n++) (await read(log, n)).lease?.release();
  expect(Buffer.concat(held.records).equals(before)).toBe(true);
  held.lease?.release();
  expect(Buffer.concat(held.records).every((byte) => byte === 0xdb)).toBe(true);
});

test.each([0, 10_000_000])("a second release is a bug that is noticed (tail cache of %d bytes)", async (bytes) => {
  const [log] = await filled(bytes);
  const { lease } = await read(log);
  lease?.release();
  expect(() => lease?.release()).toThrow("released once");
});

test("a read that finds nothing, or fails, holds nothing", async () => {
  const [log] = await filled(0);
  const first = await read(log);
  first.lease?.release();
  expect((await read(log, BATCHES)).lease).toBeUndefined();
  expect((await read(log, 0, { maxBytes: 10, minOneBatch: false } as never)).lease).toBeUndefined();
  fileSystem.before = (operation) => {
    if (operation === "read") throw Object.assign(new Error("EIO"), { code: "EIO" });
  };
  expect(await log.read(0, options)).toMatchObject({ errorCode: ErrorCode.KAFKA_STORAGE_ERROR, lease: undefined });
  fileSystem.before = () => undefined;
  expect(sharesBuffer(await read(log), first)).toBe(true);
});

describe.each([
  ["file", 0],
  ["tail cache", 10_000_000],
])("while readers hold more than readBytesMax of the %s", (_name, tailCacheBytes) => {
  test("each gets little, but goes on; and everything again when memory comes back", async () => {
    const [log] = await filled(tailCacheBytes, 700_000);
    const held = await read(log);
    expect(held.sizeBytes).toBeGreaterThan(700_000);
    const small = await read(log, 5);
    expect(small.sizeBytes).toBeGreaterThan(0);
    expect(small.sizeBytes).toBeLessThanOrEqual(SHORT_READ_BYTES);
    expect((await recordsOf(small.records))[0]?.offset).toBe(5);
    expect(await read(log, 5, { minOneBatch: false } as never)).toMatchObject({ records: [], lease: undefined });
    for (const result of [held, small]) result.lease?.release();
    expect((await read(log)).sizeBytes).toBe(held.sizeBytes);
  });

  test("a batch that is larger than what each gets is read all the same", async () => {
    const [log] = await filled(tailCacheBytes, 0);
    const value = randomBytes(100_000).toString("hex");
    await log.append(values([value]), -1);
    expect(await recordsOf((await read(log, BATCHES)).records)).toMatchObject([{ value }]);
  });
});

test("reads of a slow disk have a buffer each, and give it back", async () => {
  const [log, volume] = await filled(0);
  fileSystem.before = (operation) => {
    if (operation === "read") volume.clock.advance(3);
  };
  (await read(log)).lease?.release();
  const results = await Promise.all([0, 1, 2].map((offset) => read(log, offset)));
  expect(new Set(results.map(bufferOf)).size).toBe(3);
  for (const [index, result] of results.entries()) {
    expect((await recordsOf(result.records))[0]?.offset).toBe(index);
    result.lease?.release();
  }
});

test("buffers that nobody needs are let go after a while", async () => {
  const [log, volume] = await filled(0);
  const first = await read(log);
  first.lease?.release();
  for (let n = 0; n < 2; n++) {
    volume.clock.advance(10_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(sharesBuffer(await read(log), first)).toBe(false);
});
