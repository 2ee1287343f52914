import { beforeEach, describe, expect, test } from "vitest";
import { Chance } from "./chance.js";
import { Disk } from "./disk.js";
import { LocalFileSystem, type LocalDisk } from "./local-file-system.js";
import { Machine, type SimulatedProcess } from "./machine.js";
import { Scheduler } from "./scheduler.js";
import { fairWeather, type Weather } from "./weather.js";

let scheduler: Scheduler;
let machine: Machine;
let process: SimulatedProcess;
let weather: { -readonly [Key in keyof Weather]: Weather[Key] };
let local: LocalDisk;
let fs: LocalFileSystem;

beforeEach(() => {
  scheduler = new Scheduler(new Chance(7));
  machine = new Machine("m", scheduler);
  weather = fairWeather();
  const disk = new Disk(machine.chance.fork(), { namesAreDurable: false });
  local = { disk, weather, locks: new Set(), preallocationHelps: true };
  reboot();
});

function reboot(): void {
  process = machine.start();
  fs = new LocalFileSystem(local, process);
}

const run = <Result>(work: Promise<Result>): Promise<Result> => scheduler.run(work);

async function survives(prepare: () => Promise<void>, check: () => Promise<boolean>): Promise<number> {
  let kept = 0;
  for (let attempt = 0; attempt < 60; attempt++) {
    await run(prepare());
    machine.crash();
    local.disk.crash();
    reboot();
    if (await run(check())) kept++;
  }
  return kept;
}

describe("a loss of power", () => {
  test("may take a name that was not synced, and spares one that was", async () => {
    let name = "";
    let count = 0;
    const make = async (syncs: boolean) => {
      name = `/${count++}`;
      const file = await fs.open(name, "create");
      await file.dataSync();
      if (syncs) await fs.syncDirectory("/");
    };
    const exists = async () => (await fs.list("/")).some((entry) => `/${entry.name}` === name);
    const unsynced = await survives(() => make(false), exists);
    expect(unsynced).toBeGreaterThan(10);
    expect(unsynced).toBeLessThan(50);
    expect(await survives(() => make(true), exists)).toBe(60);
  });

  test("may take, tear or zero data that was not synced, and spares what was", async () => {
    const seen = new Set<string>();
    let count = 0;
    for (let attempt = 0; attempt < 80; attempt++) {
      const path = `/${count++}`;
      const write = async () => {
        const file = await fs.open(path, "create");
        await file.writev([Buffer.alloc(600, "a")], 0);
        await file.dataSync();
        await fs.syncDirectory("/");
        await file.writev([Buffer.alloc(3000, "b")], 600);
      };
      await run(write());
      machine.crash();
      local.disk.crash();
      reboot();
      const content = (await run(fs.readFile(path))).toString();
      expect(content.startsWith("a".repeat(600))).toBe(true);
      const rest = content.slice(600);
      seen.add(
        rest === "" ? "gone" : rest === "b".repeat(3000) ? "whole" : rest === "\0".repeat(3000) ? "zeros" : "torn",
      );
    }
    expect([...seen].sort()).toEqual(["gone", "torn", "whole", "zeros"]);
  });

  test("a killed process leaves everything that had been written", async () => {
    const file = await run(fs.open("/a", "create"));
    file.writevSync([Buffer.from("kept")], 0);
    process.kill();
    reboot();
    expect((await run(fs.readFile("/a"))).toString()).toBe("kept");
  });
});

test("an fsync covers what was written before it began", async () => {
  const file = await run(fs.open("/a", "create"));
  file.writevSync([Buffer.from("before")], 0);
  const syncing = file.dataSync();
  file.writevSync([Buffer.from("after")], 6);
  await run(syncing);
  expect(local.disk.file("/a").durableContent().toString()).toBe("before");
});

test("fsyncgate: what a failed fsync lost is not written by the next one, which says all is well", async () => {
  const file = await run(fs.open("/a", "create"));
  const other = await run(fs.open("/a", "write"));
  let failures = 1;
  weather.syncFailure = () => (failures-- > 0 ? "EIO" : undefined);
  const lost = Buffer.alloc(100_000, "x");
  for (let at = 0; at < lost.length; at += 5_000) file.writevSync([lost.subarray(at, at + 5_000)], at);
  await expect(run(file.dataSync())).rejects.toMatchObject({ code: "EIO" });
  await run(file.dataSync());
  expect(local.disk.file("/a").durableContent().equals(lost)).toBe(false);
  // Every descriptor hears of it once.
  await expect(run(other.dataSync())).rejects.toMatchObject({ code: "EIO" });
  await run(other.dataSync());
});

test("a paused machine's clock stands still, a blocked process's does not", async () => {
  const before = process.clock.monotonic();
  machine.pause(60_000);
  let woke = -1;
  process.clock.schedule(10, () => {
    woke = process.clock.monotonic();
  });
  await scheduler.pass(60_020);
  expect(woke - before).toBeLessThan(100);
  process.block(5_000);
  expect(process.clock.monotonic() - before).toBeGreaterThan(5_000);
});

test("a timer that is set for what is left of a wait, however little, finds that time has passed", async () => {
  await scheduler.pass(32_941.303);
  const before = process.clock.monotonic();
  let woke = -1;
  process.clock.schedule(1e-12, () => {
    woke = process.clock.monotonic();
  });
  await scheduler.pass(1);
  expect(woke).toBeGreaterThan(before);
});

test("nothing reaches a process that is dead", async () => {
  let heard = false;
  void fs.list("/").then(() => {
    heard = true;
  });
  process.kill();
  await scheduler.pass(1_000);
  expect(heard).toBe(false);
});

test("one seed is one history", async () => {
  const histories = [1, 1, 2].map(async (seed) => {
    const own = new Scheduler(new Chance(seed));
    const there = new Machine("m", own);
    const one = there.start();
    const lines: string[] = [];
    for (let index = 0; index < 20; index++) {
      one.turn(own.chance.between(0, 50), () => lines.push(`${index} ${own.now} ${one.random.uuid()}`));
    }
    await own.pass(100);
    return lines.join("\n");
  });
  const [first, again, other] = await Promise.all(histories);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});
