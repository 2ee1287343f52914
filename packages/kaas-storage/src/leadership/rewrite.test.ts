import { describe, expect, test } from "vitest";
import type { FileHandle } from "../file-system/file-system.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { Rewrite } from "./rewrite.js";

const PATH = "/log";
const MIB = 1024 * 1024;

/** A file that somebody wrote, whose data no fsync has covered. */
async function written(fileSystem: LosingFileSystem, content: Buffer): Promise<FileHandle> {
  const writer = await fileSystem.open(PATH, "create");
  await writer.writev([content], 0);
  await fileSystem.syncDirectory("/");
  return fileSystem.open(PATH, "read");
}

function begin(fileSystem: LosingFileSystem, reader: FileHandle, from: number): Promise<Rewrite> {
  return Rewrite.begin({ fileSystem, path: PATH, reader, from, inTurn: (sync) => sync() });
}

const letters = (count: number): Buffer => Buffer.from(Array.from({ length: count }, (_, at) => 97 + (at % 26)));

describe("a rewrite", () => {
  test("makes durable what it is given, and nothing has to be looked at again", async () => {
    const fileSystem = new LosingFileSystem();
    const content = letters(30);
    const rewrite = await begin(fileSystem, await written(fileSystem, content), 0);
    await rewrite.write(content.subarray(0, 10), 0);
    await rewrite.write(content.subarray(10, 25), 10);
    expect(await rewrite.finish(25)).toBeUndefined();
    await rewrite.close();
    const left = await fileSystem.crashed().readFile(PATH);
    expect(left.subarray(0, 25)).toEqual(content.subarray(0, 25));
  });

  test.each([
    ["between pieces", 2 * MIB + 100, 3 * MIB],
    ["at the end", 4 * MIB, 4 * MIB],
  ])("reads what is left out %s, and names the piece before it", async (_, second, end) => {
    const fileSystem = new LosingFileSystem();
    const content = letters(5 * MIB);
    const rewrite = await begin(fileSystem, await written(fileSystem, content), 0);
    await rewrite.write(content.subarray(0, 100), 0);
    await rewrite.write(content.subarray(100, MIB), 100);
    if (second < end) await rewrite.write(content.subarray(second, end), second);
    expect(await rewrite.finish(end)).toBe(100);
    await rewrite.close();
    const left = await fileSystem.crashed().readFile(PATH);
    expect(left.subarray(0, end).equals(content.subarray(0, end))).toBe(true);
  });

  test("lets the disk begin early; a failure of that is the end of it", async () => {
    const fileSystem = new LosingFileSystem();
    const content = letters(MIB);
    const rewrite = await begin(fileSystem, await written(fileSystem, content), 0);
    let syncs = 0;
    fileSystem.before = (operation) => {
      if (operation === "sync" && ++syncs === 1) throw Object.assign(new Error("EIO"), { code: "EIO" });
    };
    const big = Buffer.alloc(64 * MIB, "a");
    await rewrite.write(big, 0);
    expect(syncs).toBe(1);
    await expect(rewrite.finish(big.length)).rejects.toMatchObject({ code: "EIO" });
    await rewrite.close();
    expect(syncs).toBe(1);
    expect(fileSystem.openHandles).toBe(2);
  });
});
