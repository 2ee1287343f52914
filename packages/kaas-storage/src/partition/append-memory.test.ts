import { randomBytes } from "node:crypto";
import { type AppendResult, ErrorCode, type PartitionLog, type SharedLease } from "@kaas/core";
import { beforeEach, describe, expect, test } from "vitest";
import { recordsOf, values } from "../testing/batches.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, type TestVolume } from "../testing/open-test-volume.js";

const options = { maxBytes: 1_000_000, minOneBatch: true, isolation: "read_uncommitted" } as const;

/** What an append's memory is lent by; it is overwritten once nobody holds it. */
class Memory implements SharedLease {
  holders = 1;
  readonly records: Buffer;

  constructor(records: Buffer) {
    this.records = records;
  }

  retain(): void {
    expect(this.holders).toBeGreaterThan(0);
    this.holders++;
  }

  release(): void {
    expect(this.holders).toBeGreaterThan(0);
    if (--this.holders === 0) this.records.fill(0xdb);
  }
}

let fileSystem: LosingFileSystem;
beforeEach(() => {
  fileSystem = new LosingFileSystem();
});

function batchOf(text: string): Memory {
  return new Memory(values([text]));
}

/** Something to wait for until the test opens it. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Appends as a request does that is over once it has its answer. */
async function append(log: PartitionLog, memory: Memory, acks: -1 | 1 = -1): Promise<AppendResult> {
  const result = await log.append(memory.records, acks, undefined, memory);
  memory.release();
  return result;
}

async function opened(tailCacheBytes: number, config = {}): Promise<[PartitionLog, TestVolume]> {
  const volume = await openTestVolume(fileSystem, { tailCacheBytes });
  return [await volume.partition(config), volume];
}

test("memory is not held longer than the write where nothing recent is kept", async () => {
  const [log] = await opened(0);
  const memory = batchOf("a");
  expect((await append(log, memory)).errorCode).toBe(ErrorCode.NONE);
  expect(memory.holders).toBe(0);
  const { records } = await log.read(0, options);
  expect(await recordsOf(records)).toMatchObject([{ value: "a" }]);
});

test("what is kept in memory is held until it makes room for later appends", async () => {
  const [log] = await opened(100_000);
  const memories = Array.from({ length: 10 }, () => batchOf(randomBytes(10_000).toString("hex")));
  for (const memory of memories) await append(log, memory);
  const held = memories.map(({ holders }) => holders);
  expect(held.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
  expect(held.at(-1)).toBe(1);
});

test("a reader holds what he was given, though it has made room for later appends", async () => {
  const [log] = await opened(100_000);
  const first = batchOf("x".repeat(20_000));
  await append(log, first);
  const { records, lease } = await log.read(0, options);
  for (let n = 0; n < 10; n++) await append(log, batchOf(randomBytes(10_000).toString("hex")));
  expect(first.holders).toBe(1);
  expect(await recordsOf(records)).toMatchObject([{ value: "x".repeat(20_000) }]);
  lease?.release();
  expect(first.holders).toBe(0);
});

test("what is on its way to the disk is held until it has arrived", async () => {
  const [log, volume] = await opened(0);
  await append(log, batchOf("first"));
  fileSystem.before = (operation) => {
    if (operation === "write") volume.clock.advance(3); // slow: the next is asynchronous
  };
  await append(log, batchOf("slow"));
  const write = gate();
  fileSystem.beforeWrite = () => write.opened;
  const memory = batchOf("on its way");
  const answered = append(log, memory);
  await new Promise((resolve) => setImmediate(resolve));
  expect(memory.holders).toBe(2);
  write.open();
  await answered;
  expect(memory.holders).toBe(0);
});

describe("an append that is refused holds nothing", () => {
  test("because its records are bad", async () => {
    const [log] = await opened(100_000);
    const memory = batchOf("a");
    memory.records[50] = (memory.records[50] as number) ^ 1;
    expect((await append(log, memory)).errorCode).toBe(ErrorCode.CORRUPT_MESSAGE);
    expect(memory.holders).toBe(0);
  });

  test("because the disk fails", async () => {
    const [log, volume] = await opened(0);
    await append(log, batchOf("first"));
    fileSystem.before = (operation) => {
      if (operation === "write") throw Object.assign(new Error("EIO"), { code: "EIO" });
    };
    const memories = [batchOf("a"), batchOf("b")];
    const results = await Promise.all(memories.map((memory) => append(log, memory)));
    expect(results.map(({ errorCode }) => errorCode)).toEqual([
      ErrorCode.KAFKA_STORAGE_ERROR,
      ErrorCode.KAFKA_STORAGE_ERROR,
    ]);
    expect(memories.map(({ holders }) => holders)).toEqual([0, 0]);
    fileSystem.before = () => undefined;
    await volume.close();
  });

  test("because the log is closed while it waits", async () => {
    const [log, volume] = await opened(0);
    await append(log, batchOf("first"));
    const sync = gate();
    fileSystem.beforeSync = () => sync.opened;
    const memories = Array.from({ length: 5 }, (_, n) => batchOf(`${n}`));
    const answers = [];
    for (const memory of memories) {
      answers.push(append(log, memory));
      await new Promise((resolve) => setImmediate(resolve)); // a group each, as far as groups may be on their way
    }
    const abandoned = volume.logs.abandon(log.id);
    await new Promise((resolve) => setImmediate(resolve));
    sync.open();
    await Promise.all([abandoned, ...answers]);
    expect(memories.map(({ holders }) => holders)).toEqual([0, 0, 0, 0, 0]);
  });
});

test("records that are compressed anew are kept in memory of their own", async () => {
  const [log] = await opened(100_000, { compressionType: "zstd" });
  const memories = [batchOf("x".repeat(1000)), batchOf("y".repeat(1000))];
  await Promise.all(memories.map((memory) => append(log, memory))); // the first waits for the codec, the second for it
  expect(memories.map(({ holders }) => holders)).toEqual([0, 0]);
  const { records } = await log.read(0, options);
  expect(await recordsOf(records)).toMatchObject([{ value: "x".repeat(1000) }, { value: "y".repeat(1000) }]);
});
