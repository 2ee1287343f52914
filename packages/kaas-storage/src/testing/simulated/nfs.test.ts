import { beforeEach, describe, expect, test } from "vitest";
import type { FileSystem } from "../../file-system/file-system.js";
import { Chance } from "./chance.js";
import { Machine, type SimulatedProcess } from "./machine.js";
import { NfsClient } from "./nfs-client.js";
import type { MountOptions } from "./nfs-connection.js";
import { NfsFileSystem } from "./nfs-file-system.js";
import { NfsServer, type NfsServerOptions } from "./nfs-server.js";
import { Scheduler } from "./scheduler.js";
import { fairWeather, type Weather } from "./weather.js";

interface Guest {
  readonly machine: Machine;
  readonly client: NfsClient;
  readonly weather: { -readonly [Key in keyof Weather]: Weather[Key] };
  process: SimulatedProcess;
  fs: FileSystem;
}

let scheduler: Scheduler;
let server: NfsServer;
let a: Guest;
let b: Guest;

function rig(mount: MountOptions = {}, options: NfsServerOptions = {}): void {
  scheduler = new Scheduler(new Chance(11));
  server = new NfsServer(scheduler, options);
  [a, b] = [guest("a", mount), guest("b", mount)];
}

function guest(name: string, mount: MountOptions): Guest {
  const machine = new Machine(name, scheduler);
  const weather = fairWeather();
  const client = new NfsClient(machine, server, weather, mount);
  const process = machine.start();
  return { machine, client, weather, process, fs: new NfsFileSystem(client, process, true) };
}

beforeEach(() => rig());

const run = <Result>(work: Promise<Result>): Promise<Result> => scheduler.run(work);
const pass = (ms: number): Promise<void> => scheduler.pass(ms);

async function write(fs: FileSystem, path: string, content: string): Promise<void> {
  const file = await fs.open(path, "create");
  await file.writev([Buffer.from(content)], 0);
  await file.dataSync();
  await file.close();
}

async function replace(fs: FileSystem, path: string, content: string): Promise<void> {
  await write(fs, `${path}.tmp`, content);
  await fs.rename(`${path}.tmp`, path);
}

const text = async (fs: FileSystem, path: string): Promise<string> => (await fs.readFile(path)).toString();
const calls = ({ client }: Guest, name: string): number => client.connection.calls.get(name) ?? 0;
const exists = async (fs: FileSystem, path: string): Promise<boolean> =>
  (await fs
    .open(path, "read")
    .then((file) => file.close())
    .catch(() => "no")) === undefined;

/** Milliseconds until something is so, looked at every second. */
async function until(look: () => Promise<boolean>): Promise<number> {
  const from = scheduler.now;
  while (!(await run(look()))) await pass(1_000);
  return scheduler.now - from;
}

describe("E1, renamed over", () => {
  test("E1: nobody holds the old inode: the server says STALE, and the new content is seen at once", async () => {
    await run(write(a.fs, "/f", "old"));
    expect(await run(text(b.fs, "/f"))).toBe("old");
    await pass(1_000);
    await run(replace(a.fs, "/f", "new"));
    await pass(100);
    expect(await run(text(b.fs, "/f"))).toBe("new");
  });

  test("E1h, E10: somebody holds the old inode: open and read find the old content for a minute", async () => {
    const c = guest("c", {});
    await run(write(a.fs, "/f", "old"));
    expect(await run(text(b.fs, "/f"))).toBe("old");
    await run(c.fs.open("/f", "read"));
    await run(replace(a.fs, "/f", "new"));
    const stale = await until(async () => (await text(b.fs, "/f")) === "new");
    expect(stale).toBeGreaterThan(20_000);
    expect(stale).toBeLessThanOrEqual(61_000);
  });

  test("E6: a fresh open of the directory drops the name, except under nocto", async () => {
    for (const nocto of [false, true]) {
      rig({ nocto });
      const c = guest("c", {});
      await run(write(a.fs, "/f", "old"));
      await run(b.fs.list("/"));
      await run(text(b.fs, "/f"));
      await run(c.fs.open("/f", "read"));
      await run(replace(a.fs, "/f", "new"));
      await run(b.fs.list("/"));
      expect(await run(text(b.fs, "/f"))).toBe(nocto ? "old" : "new");
    }
  });

  test("E6: version 4.0 opens by name", async () => {
    rig({ version: "4.0" });
    const c = guest("c", {});
    await run(write(a.fs, "/f", "old"));
    await run(text(b.fs, "/f"));
    await run(c.fs.open("/f", "read"));
    await run(replace(a.fs, "/f", "new"));
    expect(await run(text(b.fs, "/f"))).toBe("new");
  });
});

describe("E6, what another client changed", () => {
  test("a file that was not there stays unknown for up to a minute; a fresh list of the directory shows it", async () => {
    expect(await run(exists(b.fs, "/f"))).toBe(false);
    await run(write(a.fs, "/f", "x"));
    await pass(10_000);
    expect(await run(exists(b.fs, "/f"))).toBe(false);
    expect((await run(b.fs.list("/"))).map(({ name }) => name)).toEqual(["f"]);
    expect(await run(exists(b.fs, "/f"))).toBe(true);
  });

  test("a list under nocto is old for as long as the directory's attributes are believed", async () => {
    rig({ nocto: true });
    await run(b.fs.list("/"));
    await run(write(a.fs, "/f", "x"));
    await pass(10_000);
    expect(await run(b.fs.list("/"))).toEqual([]);
    await pass(50_000);
    expect(await run(b.fs.list("/"))).toHaveLength(1);
  });

  test("in place: a fresh open and an uncached read see it at once, a buffered read of a held file does not", async () => {
    await run(write(a.fs, "/f", "old"));
    const held = await run(b.fs.open("/f", "read"));
    const uncached = await run(b.fs.open("/f", "uncached"));
    const into = Buffer.alloc(3);
    await run(held.read(into, 0));
    const change = async () => {
      const file = await a.fs.open("/f", "write");
      await file.writev([Buffer.from("new")], 0);
      await file.dataSync();
      await file.close();
    };
    await run(change());
    await run(held.read(into, 0));
    expect(into.toString()).toBe("old");
    await run(uncached.read(into, 0));
    expect(into.toString()).toBe("new");
    expect(await run(text(b.fs, "/f"))).toBe("new");
  });
});

test("E9: which calls reach the server", async () => {
  await run(write(a.fs, "/f", "content"));
  await run(text(b.fs, "/f"));
  const before = { open: calls(b, "OPEN"), lookup: calls(b, "LOOKUP"), read: calls(b, "READ") };
  for (let n = 0; n < 10; n++) await run(text(b.fs, "/f"));
  expect(calls(b, "OPEN") - before.open).toBe(10);
  expect(calls(b, "LOOKUP") - before.lookup).toBe(0);
  expect(calls(b, "READ") - before.read).toBe(0);
  const uncached = await run(b.fs.open("/f", "uncached"));
  for (let n = 0; n < 10; n++) await run(uncached.read(Buffer.alloc(7), 0));
  expect(calls(b, "READ") - before.read).toBe(10);
  // An fsync of what another client wrote sends nothing. The same bytes once more are a WRITE.
  const file = await run(b.fs.open("/f", "write"));
  await run(file.dataSync());
  expect([calls(b, "COMMIT"), calls(b, "WRITE")]).toEqual([0, 0]);
  await run(file.writev([Buffer.from("content")], 0));
  await run(file.dataSync());
  expect([calls(b, "COMMIT"), calls(b, "WRITE")]).toEqual([1, 1]);
});

describe("E2, the server crashes", () => {
  test("E2a: an fsync under way is answered when it is back, and everything is on its disk", async () => {
    const file = await run(a.fs.open("/f", "create"));
    await run(file.writev([Buffer.alloc(100_000, "x")], 0));
    const syncing = file.dataSync();
    await pass(0.25); // written, and not committed
    server.crash(30_000);
    const began = scheduler.now;
    await run(syncing);
    expect(scheduler.now - began).toBeGreaterThan(29_000);
    server.crash(0);
    expect((await run(text(b.fs, "/f"))).length).toBe(100_000);
  });

  test("E2b: what an async export has acknowledged may be gone", async () => {
    const survived = { sync: 0, async: 0 };
    for (const [name, isAsync] of [
      ["sync", false],
      ["async", true],
    ] as const) {
      for (let n = 0; n < 20; n++) {
        rig({}, { isAsync });
        for (let draw = 0; draw < n; draw++) server.disk.chance.fraction();
        await run(write(a.fs, "/f", "content"));
        server.crash(1_000);
        const seen = (await run(b.fs.list("/"))).length === 1 && (await run(text(b.fs, "/f"))) === "content";
        if (seen) survived[name]++;
      }
    }
    expect(survived.sync).toBe(20);
    expect(survived.async).toBeLessThan(15);
  });

  test("another client has read what was never committed, and it is gone", async () => {
    const file = await run(a.fs.open("/f", "create"));
    a.weather.writeBackMs = () => 1;
    await run(file.writev([Buffer.from("x".repeat(5_000))], 0));
    await pass(100);
    expect((await run(text(b.fs, "/f"))).length).toBe(5_000);
    a.machine.crash();
    a.client.crash();
    let lost = 0;
    for (let n = 0; n < 10 && lost === 0; n++) {
      server.crash(0);
      if (server.disk.file("/f").durableContent().toString() !== "x".repeat(5_000)) lost++;
    }
    expect(lost).toBe(1);
  });
});

test("E4: a soft mount says EIO after 20 s, then that all is well, and the page comes back as zeros", async () => {
  rig({ soft: true });
  const file = await run(a.fs.open("/f", "create"));
  await run(file.writev([Buffer.alloc(4_096, "a")], 0));
  a.client.partition(60_000);
  const began = scheduler.now;
  await expect(run(file.dataSync())).rejects.toMatchObject({ code: "EIO" });
  expect(scheduler.now - began).toBeGreaterThan(19_000);
  const again = scheduler.now;
  await run(file.dataSync());
  expect(scheduler.now - again).toBeLessThan(10);
  await pass(60_000);
  await run(file.writev([Buffer.alloc(4_096, "b")], 4_096));
  await run(file.dataSync());
  const content = await run(text(b.fs, "/f"));
  expect(content).toBe("\0".repeat(4_096) + "b".repeat(4_096));
});

test("E5: a machine that stood still writes on when it wakes: NFS itself fences nothing", async () => {
  const file = await run(a.fs.open("/f", "create"));
  await run(file.writev([Buffer.from("one")], 0));
  await run(file.dataSync());
  a.machine.pause(22_000);
  await run(b.fs.list("/"));
  const sealed = (await run(text(b.fs, "/f"))).length;
  await pass(22_000);
  await run(file.writev([Buffer.from("two")], 3));
  await run(file.dataSync());
  expect((await run(text(b.fs, "/f"))).length).toBeGreaterThan(sealed);
});

describe("E7, a reader that is cut off and holds a delegation", () => {
  test("finds the old content until some seconds after; the writer waits for its lease", async () => {
    rig({}, { delegations: 1, leaseMs: 15_000 });
    await run(write(a.fs, "/f", "old"));
    expect(await run(text(b.fs, "/f"))).toBe("old");
    b.client.partition(35_000);
    const began = scheduler.now;
    const changing = (async () => {
      const file = await a.fs.open("/f", "write");
      await file.writev([Buffer.from("new")], 0);
      await file.dataSync();
    })();
    let reads = 0;
    for (; scheduler.now - began < 30_000; reads++) {
      expect(await run(text(b.fs, "/f"))).toBe("old");
      await pass(1_000);
    }
    expect(reads).toBeGreaterThan(20);
    await run(changing);
    expect(server.disk.file("/f").current.slice(0, 3).toString()).toBe("new");
    await pass(15_000);
    expect(await run(text(b.fs, "/f"))).toBe("new");
  });

  test("an uncached read hangs until it is reached again, and then tells the truth", async () => {
    rig({}, { delegations: 1 });
    await run(write(a.fs, "/f", "old"));
    const uncached = await run(b.fs.open("/f", "uncached"));
    b.client.partition(35_000);
    const began = scheduler.now;
    const into = Buffer.alloc(3);
    const reading = uncached.read(into, 0);
    server.disk.file("/f").write(Buffer.from("new"), 0);
    await run(reading);
    expect(scheduler.now - began).toBeGreaterThan(34_000);
    expect(into.toString()).toBe("new");
  });
});

test("H12: ENOSPC comes at fsync, not at write, and what it lost is gone", async () => {
  const file = await run(a.fs.open("/f", "create"));
  let full = true;
  a.weather.syncFailure = () => (full ? "ENOSPC" : undefined);
  await run(file.writev([Buffer.from("lost")], 0));
  await expect(run(file.dataSync())).rejects.toMatchObject({ code: "ENOSPC" });
  full = false;
  await run(file.dataSync());
  expect(await run(text(a.fs, "/f"))).toBe("");
});

test("a file that is open here and unlinked here gets a .nfs name until it is closed", async () => {
  const file = await run(a.fs.open("/f", "create"));
  await run(file.writev([Buffer.from("still")], 0));
  await run(a.fs.unlink("/f"));
  expect((await run(b.fs.list("/"))).map(({ name }) => name)).toEqual([expect.stringMatching(/^\.nfs/)]);
  await run(file.close());
  expect(await run(b.fs.list("/"))).toEqual([]);
});

test("a file that another client unlinked is stale for who had not opened it, and lives for who had", async () => {
  await run(write(a.fs, "/f", "x"));
  const held = await run(b.fs.open("/f", "uncached"));
  await run(a.fs.unlink("/f"));
  expect(await run(held.read(Buffer.alloc(1), 0))).toBe(1);
  server.crash(0);
  await expect(run(held.read(Buffer.alloc(1), 0))).rejects.toMatchObject({ code: "ESTALE" });
});

test("H21: an answer that is lost: what was done is met by the second try", async () => {
  await run(write(a.fs, "/f", "x"));
  let losses = 1;
  a.weather.losesReply = (operation) => operation === "link" && losses-- > 0;
  await expect(run(a.fs.link("/f", "/g"))).rejects.toMatchObject({ code: "EEXIST" });
  expect(await run(text(b.fs, "/g"))).toBe("x");
  losses = 1;
  a.weather.losesReply = (operation) => operation === "rename" && losses-- > 0;
  await expect(run(a.fs.rename("/g", "/h"))).rejects.toMatchObject({ code: "ENOENT" });
  expect(await run(text(b.fs, "/h"))).toBe("x");
});

test("H22: what a killed process had written is sent by the kernel, later", async () => {
  const file = await run(a.fs.open("/f", "create"));
  file.writevSync([Buffer.from("late")], 0);
  a.process.kill();
  expect(await run(text(b.fs, "/f"))).toBe("");
  await pass(61_000);
  expect(await run(text(b.fs, "/f"))).toBe("late");
});
