import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { ensureDirectory, type FileSystem, removeTree } from "./file-system.js";
import { MemoryFileSystem } from "./memory.js";
import { posixFileSystem } from "./posix.js";

let temporary = "";
beforeEach(async () => {
  temporary = await mkdtemp(`${tmpdir()}/kaas-fs-`);
});
afterEach(() => rm(temporary, { recursive: true }));

const adapters: readonly [name: string, make: () => Promise<{ fs: FileSystem; root: string }>][] = [
  ["posix", async () => ({ fs: posixFileSystem, root: temporary })],
  ["memory", async () => inMemory(new MemoryFileSystem())],
  // The one that tests break is held to the same.
  ["losing", async () => inMemory(new LosingFileSystem())],
];

async function inMemory(fs: FileSystem): Promise<{ fs: FileSystem; root: string }> {
  await fs.makeDirectory("/root");
  return { fs, root: "/root" };
}

async function write(fs: FileSystem, path: string, content: string): Promise<void> {
  const file = await fs.open(path, "create");
  await file.writev([Buffer.from(content)], 0);
  await file.close();
}

const names = async (fs: FileSystem, path: string) =>
  (await fs.list(path)).map(({ name, isDirectory }) => `${name}${isDirectory ? "/" : ""}`).sort();

for (const [name, make] of adapters) {
  describe(`${name} file system`, () => {
    let fs: FileSystem;
    let root: string;
    beforeEach(async () => {
      ({ fs, root } = await make());
    });

    test("writes and reads at positions, synchronously and not", async () => {
      const file = await fs.open(`${root}/a`, "create");
      file.writevSync([Buffer.from("hello"), Buffer.from(" "), Buffer.from("world")], 0);
      await file.writev([Buffer.from("W")], 6);
      await file.dataSync();
      expect(await file.size()).toBe(11);
      const into = Buffer.alloc(8);
      expect(file.readSync(into, 6)).toBe(5);
      expect(into.toString("utf8", 0, 5)).toBe("World");
      expect(await file.read(into, 0)).toBe(8);
      expect(into.toString()).toBe("hello Wo");
      expect(await file.read(into, 100)).toBe(0);
      await file.close();
      expect((await fs.readFile(`${root}/a`)).toString()).toBe("hello World");
    });

    test("holes and what a truncated file grows back read as zeros", async () => {
      const file = await fs.open(`${root}/a`, "create");
      file.writevSync([Buffer.from("abc")], 5);
      await file.truncate(6);
      await file.truncate(10);
      expect([...(await fs.readFile(`${root}/a`))]).toEqual([0, 0, 0, 0, 0, 97, 0, 0, 0, 0]);
      await file.close();
    });

    test("large files", async () => {
      const file = await fs.open(`${root}/large`, "create");
      const pieces = Array.from({ length: 70 }, (_, n) => Buffer.alloc(10_007, n));
      file.writevSync(pieces, 0);
      const whole = Buffer.concat(pieces);
      expect((await fs.readFile(`${root}/large`)).equals(whole)).toBe(true);
      const into = Buffer.alloc(300_000);
      expect(file.readSync(into, 123_456)).toBe(into.length);
      expect(into.equals(whole.subarray(123_456, 423_456))).toBe(true);
      await file.truncate(300_001);
      expect(await file.size()).toBe(300_001);
      await file.close();
    });

    test("more buffers in one write than the kernel takes at once", async () => {
      const file = await fs.open(`${root}/many`, "create");
      const pieces = Array.from({ length: 5_000 }, (_, n) => Buffer.from(`${n},`));
      file.writevSync(pieces, 0);
      await file.writev(pieces, 100_000);
      const content = await fs.readFile(`${root}/many`);
      expect(content.subarray(0, Buffer.concat(pieces).length).equals(Buffer.concat(pieces))).toBe(true);
      expect(content.subarray(100_000).equals(Buffer.concat(pieces))).toBe(true);
      await file.close();
    });

    test("opens what is there, creates what is not", async () => {
      await expect(fs.open(`${root}/a`, "read")).rejects.toMatchObject({ code: "ENOENT" });
      await expect(fs.open(`${root}/a`, "write")).rejects.toMatchObject({ code: "ENOENT" });
      await write(fs, `${root}/a`, "x");
      await expect(fs.open(`${root}/a`, "create")).rejects.toMatchObject({ code: "EEXIST" });
      await expect(fs.readFile(`${root}/b`)).rejects.toMatchObject({ code: "ENOENT" });
      await expect(fs.readFile(`${root}/no/b`)).rejects.toMatchObject({ code: "ENOENT" });
    });

    test("a link has one winner, and is the same file", async () => {
      await write(fs, `${root}/a`, "first");
      await write(fs, `${root}/b`, "second");
      const outcomes = await Promise.allSettled([fs.link(`${root}/a`, `${root}/c`), fs.link(`${root}/b`, `${root}/c`)]);
      const lost = outcomes.filter((one) => one.status === "rejected");
      expect(lost).toMatchObject([{ reason: { code: "EEXIST" } }]);
      await fs.unlink(`${root}/a`);
      await fs.unlink(`${root}/b`);
      expect(["first", "second"]).toContain((await fs.readFile(`${root}/c`)).toString());
      await expect(fs.link(`${root}/a`, `${root}/d`)).rejects.toMatchObject({ code: "ENOENT" });
    });

    test("rename replaces files, moves directories, and spares directories that have something", async () => {
      await write(fs, `${root}/a`, "new");
      await write(fs, `${root}/b`, "old");
      await fs.rename(`${root}/a`, `${root}/b`);
      expect(await names(fs, root)).toEqual(["b"]);
      expect((await fs.readFile(`${root}/b`)).toString()).toBe("new");
      await fs.makeDirectory(`${root}/d`);
      await write(fs, `${root}/d/x`, "x");
      await fs.rename(`${root}/d`, `${root}/e`);
      expect(await names(fs, `${root}/e`)).toEqual(["x"]);
      await fs.makeDirectory(`${root}/d`);
      await expect(fs.rename(`${root}/d`, `${root}/e`)).rejects.toMatchObject({
        code: expect.stringMatching(/^(ENOTEMPTY|EEXIST)$/),
      });
      await expect(fs.rename(`${root}/no`, `${root}/f`)).rejects.toMatchObject({ code: "ENOENT" });
    });

    test("an open file outlives its name", async () => {
      const file = await fs.open(`${root}/a`, "create");
      await fs.unlink(`${root}/a`);
      file.writevSync([Buffer.from("still")], 0);
      expect(await file.size()).toBe(5);
      await file.close();
      expect(await names(fs, root)).toEqual([]);
    });

    test("directories", async () => {
      await ensureDirectory(fs, root, "d");
      await ensureDirectory(fs, root, "d");
      await expect(fs.makeDirectory(`${root}/d`)).rejects.toMatchObject({ code: "EEXIST" });
      await expect(fs.makeDirectory(`${root}/no/d`)).rejects.toMatchObject({ code: "ENOENT" });
      await write(fs, `${root}/d/a`, "");
      await expect(fs.removeDirectory(`${root}/d`)).rejects.toMatchObject({ code: "ENOTEMPTY" });
      await fs.syncDirectory(`${root}/d`);
      await expect(fs.syncDirectory(`${root}/no`)).rejects.toMatchObject({ code: "ENOENT" });
      await ensureDirectory(fs, `${root}/d`, "e");
      expect(await names(fs, `${root}/d`)).toEqual(["a", "e/"]);
      await removeTree(fs, `${root}/d`);
      await removeTree(fs, `${root}/d`);
      expect(await names(fs, root)).toEqual([]);
    });

    test("says how much space there is", async () => {
      const { totalBytes, usableBytes } = await fs.space(root);
      if (name === "memory") expect([totalBytes, usableBytes]).toEqual([-1, -1]);
      else expect(totalBytes).toBeGreaterThanOrEqual(usableBytes);
      if (name !== "memory") expect(usableBytes).toBeGreaterThan(0);
    });
  });
}

describe("uncached reads", () => {
  test.each([tmpdir(), "/dev/shm"])("in %s find what is there, at any position and of any length", async (parent) => {
    const directory = await mkdtemp(`${parent}/kaas-direct-`);
    try {
      const content = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => at % 251));
      const writer = await posixFileSystem.open(`${directory}/file`, "create");
      await writer.writev([content], 0);
      await writer.dataSync();
      const reader = await posixFileSystem.open(`${directory}/file`, "uncached");
      const ranges = [
        [0, 4_096],
        [4_096, 8_192],
        [1, 1],
        [4_095, 2],
        [5_000, 2_500_000],
        [2_999_000, 5_000],
        [3_000_000, 10],
        [9_000_000, 10],
      ] as const;
      for (const [position, length] of ranges) {
        const expected = content.subarray(position, position + length);
        const into = Buffer.alloc(length);
        const count = await reader.read(into, position);
        expect(into.subarray(0, count).equals(expected), `${position}`).toBe(true);
        expect(reader.readSync(into, position)).toBe(count);
        expect(into.subarray(0, count).equals(expected), `${position}`).toBe(true);
      }
      expect(await reader.size()).toBe(content.length);
      await writer.writev([Buffer.from("changed")], 100);
      await writer.dataSync();
      const changed = Buffer.alloc(7);
      await Promise.all([reader.read(changed, 100), reader.read(Buffer.alloc(9_000), 0)]);
      expect(changed.toString()).toBe("changed");
      await expect(reader.writev([changed], 0)).rejects.toMatchObject({ code: "EBADF" });
      await Promise.all([reader.close(), writer.close()]);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

describe("what is no file", () => {
  test("a pipe in a file's place holds nobody up", async () => {
    const pipe = `${temporary}/pipe`;
    execFileSync("mkfifo", [pipe]);
    expect(await posixFileSystem.readFile(pipe)).toHaveLength(0);
    for (const mode of ["read", "write"] as const) await (await posixFileSystem.open(pipe, mode)).close();
  });

  test("a directory in a file's place is named by the error", async () => {
    await expect(posixFileSystem.readFile(temporary)).rejects.toMatchObject({
      code: "EISDIR",
      path: temporary,
      message: `EISDIR: illegal operation on a directory, read '${temporary}'`,
    });
  });
});
