import { silentLog } from "@kaas/core";
import { describe, expect, test } from "vitest";
import { joinVolume } from "../leadership/join.js";
import type { Claimant } from "../leadership/take-lead.js";
import { type LosingFileSystem as Files, LosingFileSystem } from "../testing/losing-file-system.js";
import { TestClock, TestRandom } from "../testing/test-clock.js";
import { claimEpoch } from "./epoch-claim.js";

let count = 0;

async function volume(): Promise<Files> {
  const fileSystem = new LosingFileSystem();
  for (const path of ["/c", "/p"]) await fileSystem.makeDirectory(path);
  return fileSystem;
}

/** A process that uses the volume. */
async function join(fileSystem: Files, broker: string, beyond: Partial<Claimant> = {}) {
  const random = new TestRandom(++count * 1_000);
  const clock = new TestClock();
  const incarnation = { broker, incarnation: random.uuid() };
  const files = { fileSystem, random };
  const fuse = await joinVolume({
    files,
    clock,
    cluster: "/c",
    incarnation,
    isShared: true,
    version: "",
    endpoints: [],
  });
  const nobody = { isAlive: () => false, releaseWaitMsMax: 10_000 };
  const claimant: Claimant = {
    ...files,
    clock,
    log: silentLog,
    ...incarnation,
    brokers: "/c/brokers",
    ...nobody,
    ...beyond,
  };
  const claim = async (unwanted?: AbortSignal) => {
    const claimed = await claimEpoch(claimant, "/p", { unwanted });
    if (!("epoch" in claimed)) throw new Error("it has not moved");
    return claimed;
  };
  return { fuse, clock, claim, ...incarnation };
}

const isLive = (fuse: { confirm(): Promise<void> }) =>
  fuse.confirm().then(
    () => true,
    () => false,
  );
const claimsIn = async (fileSystem: Files) =>
  (await fileSystem.list("/p")).map(({ name }) => name).filter((name) => name.endsWith(".claim"));
const turn = () => new Promise((resolve) => setImmediate(resolve));
async function put(fileSystem: Files, path: string, content = ""): Promise<void> {
  const handle = await fileSystem.open(path, "create");
  await handle.writev([Buffer.from(content)], 0);
  await handle.close();
}

describe("claiming an epoch", () => {
  test("that is long over, of which no claim is left, comes to nothing", async () => {
    const fileSystem = await volume();
    let isStale = true;
    const stale = new Proxy(fileSystem, {
      get(files, name: keyof Files) {
        if (name === "list" && isStale) {
          return async (path: string) => {
            const listed = await files.list(path);
            if (path !== "/p") return listed;
            // It stands still here, while others lead the partition, and move it away.
            isStale = false;
            for (const left of ["00000001.seal", "00000001.moved"]) await put(files, `/p/${left}`);
            return listed;
          };
        }
        const value: unknown = files[name];
        return typeof value === "function" ? value.bind(files) : value;
      },
    });
    const late = await join(fileSystem, "kaas-1", { fileSystem: stale });
    await expect(late.claim()).rejects.toMatchObject({ code: "KAAS_FENCED" });
    expect(await claimsIn(fileSystem)).toEqual([]);
  });

  test("blows the fuse of every lower owner that has not handed over, before what is listed", async () => {
    const fileSystem = await volume();
    const [first, second, third] = await Promise.all(["a", "b", "c"].map((name) => join(fileSystem, name)));
    if (first === undefined || second === undefined || third === undefined) throw new Error("three were made");
    expect((await first.claim()).epoch).toBe(0);
    await put(fileSystem, "/p/00000000.released");
    expect((await second.claim()).epoch).toBe(1);
    // What the one before does until it is blown must be seen.
    let blown = false;
    fileSystem.before = (operation, path) => {
      if (operation !== "write" || !path.endsWith(`${second.incarnation}.fuse`) || blown) return;
      blown = true;
      void put(fileSystem, "/p/00000001-00000000000000000000.log");
    };
    const { epoch, listed } = await third.claim();
    expect(epoch).toBe(2);
    expect(listed.of("log", 1)).toHaveLength(1);
    expect(await Promise.all([first, second, third].map(({ fuse }) => isLive(fuse)))).toEqual([true, false, true]);
  });

  test("does not blow the fuse of its own process", async () => {
    const fileSystem = await volume();
    const one = await join(fileSystem, "a");
    await one.claim();
    expect((await one.claim()).epoch).toBe(1);
    expect(await isLive(one.fuse)).toBe(true);
  });

  test("gives up when a higher one comes, and withdraws, so that its process goes on", async () => {
    const fileSystem = await volume();
    const [low, high] = await Promise.all(["a", "b"].map((name) => join(fileSystem, name)));
    if (low === undefined || high === undefined) throw new Error("two were made");
    let rival: Promise<unknown> | undefined;
    let withdrawn = 0;
    fileSystem.before = (operation, path) => {
      if (operation === "unlink" && path === "/p/00000000.claim") withdrawn++;
      // Between the claim of the lower one and its second listing.
      if (operation !== "unlink" || !path.includes("tmp-") || rival !== undefined) return;
      rival = put(
        fileSystem,
        "/p/00000001.claim",
        `{"format":1,"epoch":1,"broker":"b","incarnation":"${high.incarnation}"}`,
      );
    };
    await expect(low.claim()).rejects.toMatchObject({ code: "KAAS_FENCED" });
    await rival;
    expect(await claimsIn(fileSystem)).toEqual(["00000001.claim"]);
    // A second removal could take the claim of somebody who has got the same name since.
    expect(withdrawn).toBe(1);
    expect(await isLive(low.fuse)).toBe(true);
    expect(await isLive(high.fuse)).toBe(true);
  });

  test("that cannot blow a fuse takes nothing over, and withdraws", async () => {
    const fileSystem = await volume();
    const [first, second] = await Promise.all(["a", "b"].map((name) => join(fileSystem, name)));
    if (first === undefined || second === undefined) throw new Error("two were made");
    await first.claim();
    fileSystem.before = (operation, path) => {
      if (operation === "sync" && path.endsWith(".fuse")) throw Object.assign(new Error("EIO"), { code: "EIO" });
    };
    await expect(second.claim()).rejects.toMatchObject({ code: "EIO" });
    expect(await claimsIn(fileSystem)).toEqual(["00000000.claim"]);
  });

  test("of a claim that nobody can read takes nothing over", async () => {
    const fileSystem = await volume();
    await put(fileSystem, "/p/00000004.claim", "{}");
    const one = await join(fileSystem, "a");
    await expect(one.claim()).rejects.toMatchObject({ code: "KAAS_VOLUME_INVALID" });
  });

  test("by many at once: no two get the same, and the last one standing is not fenced", async () => {
    const fileSystem = await volume();
    const processes = await Promise.all(["a", "b", "c", "d", "e", "f"].map((name) => join(fileSystem, name)));
    const claims = await Promise.allSettled(processes.map(({ claim }) => claim()));
    const epochs = claims.flatMap((one) => (one.status === "fulfilled" ? [one.value.epoch] : []));
    expect(new Set(epochs).size).toBe(epochs.length);
    const highest = Math.max(...epochs);
    for (const [n, one] of claims.entries()) {
      if (one.status !== "fulfilled") continue;
      expect(await isLive((processes[n] as (typeof processes)[0]).fuse)).toBe(one.value.epoch === highest);
    }
    expect((await claimsIn(fileSystem)).at(-1)).toBe(`0000000${highest}.claim`);
  });
});

describe("an owner that lives", () => {
  test("is waited for, and keeps its fuse when it hands over", async () => {
    const fileSystem = await volume();
    const first = await join(fileSystem, "a");
    await first.claim();
    const second = await join(fileSystem, "b", { isAlive: (broker) => broker === "a" });
    const claim = second.claim();
    for (let n = 0; n < 20; n++) {
      await turn();
      second.clock.advance(25);
    }
    await put(fileSystem, "/p/00000000.released");
    for (let n = 0; n < 3; n++) {
      await turn();
      second.clock.advance(25);
    }
    expect((await claim).listed.of("released", 0)).toHaveLength(1);
    expect(await isLive(first.fuse)).toBe(true);
  });

  /** Lets a claim that waits look so many times. */
  async function looks(count: number, clock: { advance(ms: number): void }): Promise<void> {
    for (let n = 0; n < count; n++) {
      await turn();
      clock.advance(25);
    }
  }

  test("is left alone by one that is no longer to take over, whose claim is withdrawn", async () => {
    const fileSystem = await volume();
    const first = await join(fileSystem, "a");
    await first.claim();
    const second = await join(fileSystem, "b", { isAlive: () => true });
    const unwanted = new AbortController();
    const claim = second.claim(unwanted.signal);
    claim.catch(() => undefined);
    await looks(5, second.clock);
    expect(await claimsIn(fileSystem)).toHaveLength(2);
    unwanted.abort();
    await looks(2, second.clock);
    await expect(claim).rejects.toMatchObject({ code: "KAAS_CLOSED" });
    expect(await claimsIn(fileSystem)).toEqual(["00000000.claim"]);
    expect(await isLive(first.fuse)).toBe(true);
  });

  test("and one that waits as well: the later claim wins, and nobody loses a fuse", async () => {
    const fileSystem = await volume();
    const first = await join(fileSystem, "a");
    await first.claim();
    const second = await join(fileSystem, "b", { isAlive: () => true });
    const third = await join(fileSystem, "c", { isAlive: () => true });
    const overtaken = second.claim();
    overtaken.catch(() => undefined);
    await looks(3, second.clock);
    const claim = third.claim();
    await looks(3, third.clock);
    await looks(2, second.clock);
    await expect(overtaken).rejects.toMatchObject({ code: "KAAS_FENCED" });
    await put(fileSystem, "/p/00000000.released");
    await looks(3, third.clock);
    expect((await claim).epoch).toBe(2);
    for (const { fuse } of [first, second, third]) expect(await isLive(fuse)).toBe(true);
  });

  test.each([
    ["does not hand over in time", 400, true],
    ["stops living", 100_000, false],
  ])("that %s is blown", async (_what, releaseWaitMsMax, staysAlive) => {
    const fileSystem = await volume();
    const first = await join(fileSystem, "a");
    await first.claim();
    let asked = 0;
    const isAlive = () => staysAlive || ++asked < 10;
    const second = await join(fileSystem, "b", { isAlive, releaseWaitMsMax });
    const claim = second.claim();
    for (let n = 0; n < 10; n++) {
      expect(await isLive(first.fuse)).toBe(true);
      await turn();
      second.clock.advance(25);
    }
    for (let n = 0; n < 30; n++) {
      await turn();
      second.clock.advance(25);
    }
    expect((await claim).epoch).toBe(1);
    expect(await isLive(first.fuse)).toBe(false);
  });
});
