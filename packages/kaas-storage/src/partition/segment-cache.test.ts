import { expect, test } from "vitest";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { values } from "../testing/batches.js";
import { Segment } from "./segment.js";
import { SegmentCache } from "./segment-cache.js";

async function segments(count: number): Promise<{ fileSystem: LosingFileSystem; made: Segment[] }> {
  const fileSystem = new LosingFileSystem();
  await fileSystem.makeDirectory("/p");
  const made: Segment[] = [];
  for (let n = 0; n < count; n++) {
    const segment = new Segment("/p", 0, n, 0);
    const content = values(["x"], { baseOffset: n });
    const handle = await fileSystem.open(segment.path("log"), "create");
    handle.writevSync([content], 0);
    await handle.close();
    segment.noteAppend(content.length, n + 1, 0, n, n);
    made.push(segment);
  }
  return { fileSystem, made };
}

test("nobody is handed a segment that somebody else's turn has closed", async () => {
  const { fileSystem, made } = await segments(8);
  const cache = new SegmentCache(fileSystem, 0);
  for (let round = 0; round < 20; round++) {
    await Promise.all(
      made.map(async (segment) => {
        const access = await cache.acquire(segment, 1);
        const into = Buffer.alloc(1);
        expect(await access.handle.read(into, 0)).toBe(1);
        await access.release();
      }),
    );
  }
  for (const segment of made) await cache.evict(segment);
  expect(fileSystem.openHandles).toBe(0);
});

test("keeps what was used last, within its bounds", async () => {
  const { fileSystem, made } = await segments(4);
  const [a, b, c] = made as [Segment, Segment, Segment];
  const cache = new SegmentCache(fileSystem, 2 * 4_096);
  for (const segment of [a, b]) await (await cache.acquire(segment, 1)).release();
  expect(cache.peek(a)).toBeDefined();
  await (await cache.acquire(c, 1)).release();
  expect([a, b, c].map((segment) => cache.peek(segment) !== undefined)).toEqual([true, false, true]);
});

test("a file that is not there is an error for whoever asked, and can be asked for again", async () => {
  const { fileSystem, made } = await segments(1);
  const [segment] = made as [Segment];
  const cache = new SegmentCache(fileSystem, 1e6);
  fileSystem.before = (operation) => {
    if (operation === "read") throw Object.assign(new Error("EIO"), { code: "EIO" });
  };
  await expect(cache.acquire(segment, 1)).rejects.toThrow("EIO");
  expect(fileSystem.openHandles).toBe(0);
  fileSystem.before = () => undefined;
  await (await cache.acquire(segment, 1)).release();
  await cache.evict(segment);
  expect(fileSystem.openHandles).toBe(0);
});
