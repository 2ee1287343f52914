import { describe, expect, test } from "vitest";
import { removeTree } from "../file-system/file-system.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { TestClock, TestRandom } from "../testing/test-clock.js";
import type { Fuse } from "./fuse.js";
import { blowFuse, type Incarnation } from "./fuse-file.js";
import { type JoinOptions, joinVolume, leaveVolume } from "./join.js";

let count = 0;

async function cluster(): Promise<LosingFileSystem> {
  const fileSystem = new LosingFileSystem();
  await fileSystem.makeDirectory("/c");
  await fileSystem.syncDirectory("/");
  return fileSystem;
}

function options(fileSystem: LosingFileSystem, broker: string, isShared = true): JoinOptions {
  const random = new TestRandom(++count * 1000);
  const incarnation: Incarnation = { broker, incarnation: random.uuid() };
  const files = { fileSystem, random };
  return { files, clock: new TestClock(), cluster: "/c", incarnation, isShared, version: "1", endpoints: [] };
}

const pathOf = ({ incarnation }: { incarnation: Incarnation }) =>
  `/c/brokers/${incarnation.broker}/${incarnation.incarnation}.fuse`;
const other: Incarnation = { broker: "kaas-9", incarnation: "x" };
const fenced = { code: "KAAS_FENCED" };

describe.each([true, false])("a fuse (shared: %s)", (isShared) => {
  async function join(fileSystem: LosingFileSystem, broker = "kaas-0"): Promise<Fuse> {
    return joinVolume(options(fileSystem, broker, isShared));
  }

  test("is text for people, 4096 bytes long, and durable before anything is claimed", async () => {
    const fileSystem = await cluster();
    const fuse = await join(fileSystem);
    const content = await fileSystem.crashed().readFile(pathOf(fuse));
    expect(content).toHaveLength(4096);
    expect(content.toString()).toMatch(new RegExp(`^LIVE kaas-0 ${fuse.incarnation.incarnation}\n`));
    await fuse.confirm();
  });

  test("that is blown is blown for good, durably, and tells so", async () => {
    const fileSystem = await cluster();
    const fuse = await join(fileSystem);
    await blowFuse(fileSystem, "/c/brokers", fuse.incarnation, other);
    expect((await fileSystem.crashed().readFile(pathOf(fuse))).toString()).toMatch(/^BLOWN kaas-0 .*\nby kaas-9 x/);
    await expect(fuse.confirm()).rejects.toMatchObject(fenced);
    expect(await fuse.fenced).toMatchObject(fenced);
    fileSystem.garble(pathOf(fuse), (content) => Buffer.from(content.toString().replace("BLOWN", "LIVE ")));
    await expect(fuse.confirm()).rejects.toMatchObject(fenced);
  });

  test.each([
    ["empty", () => Buffer.alloc(0)],
    ["cut short", (content: Buffer) => content.subarray(0, 100)],
    ["of another", (content: Buffer) => Buffer.from(content.toString().replace("kaas-0", "kaas-1"))],
  ])("whose content is %s counts as blown", async (_what, change) => {
    const fileSystem = await cluster();
    const fuse = await join(fileSystem);
    fileSystem.garble(pathOf(fuse), change);
    await expect(fuse.confirm()).rejects.toMatchObject(fenced);
  });

  test("that cannot be read counts as blown, even if it could be later", async () => {
    const fileSystem = await cluster();
    const fuse = await join(fileSystem);
    fileSystem.before = (operation, path) => {
      if (operation === "read" && path === pathOf(fuse)) throw Object.assign(new Error("stale"), { code: "ESTALE" });
    };
    await expect(fuse.confirm()).rejects.toMatchObject(fenced);
    fileSystem.before = () => undefined;
    await expect(fuse.confirm()).rejects.toMatchObject(fenced);
  });

  test("is read once for all that ask at the same time, and again for who asks later", async () => {
    const fileSystem = await cluster();
    const fuse = await join(fileSystem);
    let reads = 0;
    fileSystem.before = (operation, path) => {
      if (operation === "read" && path === pathOf(fuse)) reads++;
    };
    await Promise.all([fuse.confirm(), fuse.confirm(), fuse.confirm()]);
    expect(reads).toBe(1);
    await fuse.confirm();
    expect(reads).toBe(2);
  });

  test("who asks while a read is under way is not served by it", async () => {
    const fileSystem = await cluster();
    const fuse = await join(fileSystem);
    let late: Promise<void> | undefined;
    const read = fuse.confirm();
    // What the read under way has found is from before the question.
    fileSystem.before = (operation, path) => {
      if (operation !== "read" || path !== pathOf(fuse) || late !== undefined) return;
      late = fuse.confirm();
      late.catch(() => undefined);
      queueMicrotask(() => fileSystem.garble(pathOf(fuse), () => Buffer.from("BLOWN")));
    };
    await read;
    await expect(late).rejects.toMatchObject(fenced);
  });
});

describe("blowing", () => {
  test("of a fuse that is missing, or whose broker was never there, has been done", async () => {
    const fileSystem = await cluster();
    const neverThere = { broker: "kaas-3", incarnation: "y" };
    await expect(blowFuse(fileSystem, "/c/brokers", neverThere, other)).resolves.toBeUndefined();
    const fuse = await joinVolume(options(fileSystem, "kaas-0"));
    await removeTree(fileSystem, "/c/brokers");
    await expect(blowFuse(fileSystem, "/c/brokers", fuse.incarnation, other)).resolves.toBeUndefined();
  });

  test("that is not known to be durable is none", async () => {
    const fileSystem = await cluster();
    const fuse = await joinVolume(options(fileSystem, "kaas-0"));
    for (const failing of ["open", "write", "sync"]) {
      fileSystem.before = (operation) => {
        if (operation === failing) throw Object.assign(new Error("EIO"), { code: "EIO" });
      };
      const blowing = blowFuse(fileSystem, "/c/brokers", fuse.incarnation, other);
      await expect(blowing, failing).rejects.toMatchObject({ code: "EIO" });
    }
  });
});

describe("a broker's next process", () => {
  test("blows the fuse of the one before, and removes it", async () => {
    const fileSystem = await cluster();
    const first = await joinVolume(options(fileSystem, "kaas-0"));
    const neighbour = await joinVolume(options(fileSystem, "kaas-1"));
    const second = await joinVolume(options(fileSystem, "kaas-0"));
    await expect(fileSystem.readFile(pathOf(first))).rejects.toMatchObject({ code: "ENOENT" });
    await expect(first.confirm()).rejects.toMatchObject(fenced);
    await second.confirm();
    await neighbour.confirm();
  });

  test("finds nothing of one that left in order", async () => {
    const fileSystem = await cluster();
    const joining = options(fileSystem, "kaas-0");
    const fuse = await joinVolume(joining);
    await leaveVolume(joining, fuse);
    expect(await fileSystem.list("/c/brokers/kaas-0")).toEqual([]);
    await expect(fuse.confirm()).rejects.toMatchObject({ code: "KAAS_CLOSED" });
    expect(fileSystem.openHandles).toBe(0);
  });
});
