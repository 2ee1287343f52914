import { ErrorCode, type LogConfig, type PartitionLog } from "@kaas/core";
import { beforeEach, describe, expect, test } from "vitest";
import { consume, values } from "../testing/batches.js";
import { defaultLogConfig } from "../testing/log-config.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, recordingLog, type TestVolume } from "../testing/open-test-volume.js";
import { TestRandom } from "../testing/test-clock.js";
import type { DoctorReport } from "../inspection/doctor.js";
import { VolumeInspection } from "../inspection/volume-inspection.js";
import { testHost } from "../testing/test-inspection-host.js";
import type { FoundTopic } from "../topics/topic-files.js";
import { TopicDirectories } from "../topics/topic-directories.js";
import type { VolumeOptions } from "../volume.js";

const FURTHER = ["/fast", "/slow"];
const TOPIC_ID = "A".repeat(22);
/** More than a move consists of. */
const OPERATIONS = 250;
/** Some go through a hundred histories. */
const TIMEOUT_MS = 120_000;
const ID = { topic: "t", topicId: TOPIC_ID, partition: 0 };

let fileSystem: LosingFileSystem;
let directories: TopicDirectories;

beforeEach(startAnew);

async function startAnew(): Promise<void> {
  const empty = new LosingFileSystem();
  for (const path of ["/data", ...FURTHER]) await empty.makeDirectory(path);
  await empty.syncDirectory("/");
  keep(empty);
  await wish();
}

/** An operator, of what is on the disk now. */
function keep(of: LosingFileSystem): void {
  fileSystem = of;
  const random = new TestRandom(500_000);
  directories = new TopicDirectories({ directory: "/data", furtherDirectories: FURTHER, fileSystem: of, random });
}

/** Makes the topic, and wants its partition somewhere; `at` is where the operator has seen it last. */
async function wish(to?: string | null, at?: string): Promise<void> {
  await directories.put({
    name: "t",
    id: TOPIC_ID,
    partitionCount: 1,
    overrides: {},
    placement: new Map(at === undefined ? [] : [[0, at]]),
    moves: to === undefined ? new Map() : new Map([[0, to]]),
  });
}

const open = (brokerName = "kaas-0", options: Partial<Omit<VolumeOptions, "clock">> = {}): Promise<TestVolume> =>
  openTestVolume(fileSystem, { sharing: "shared", brokerName, furtherDirectories: FURTHER, ...options });
const lead = (volume: TestVolume, config: Partial<LogConfig> = {}): Promise<PartitionLog> =>
  volume.logs.open(ID, { ...defaultLogConfig, ...config });
const turn = () => new Promise((resolve) => setImmediate(resolve));
const contentOf = async (log: PartitionLog) => (await consume(log)).map(({ value }) => value);
const names = async (directory: string) => {
  const isThere = await fileSystem.list(directory).catch(() => []);
  return isThere.map(({ name }) => name).sort();
};
const whereIs = async (volume: TestVolume) =>
  (await volume.logs.describeLogDirs()).filter(({ partitions }) => partitions.length > 0).map(({ path }) => path);

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 5_000; turns++) {
    if (await condition()) return;
    await turn();
  }
  throw new Error("it does not come about");
}

async function moved(volume: TestVolume, log: PartitionLog, to: string): Promise<void> {
  await volume.topics.refresh?.("t");
  await until(async () => log.health === ErrorCode.NONE && (await whereIs(volume))[0] === to);
  await volume.logs.enforceRetention(); // after all that goes on in the background
}

async function append(log: PartitionLog, ...texts: string[]): Promise<void> {
  for (const text of texts) expect((await log.append(values([text]), -1)).errorCode).toBe(ErrorCode.NONE);
}

describe("a partition that is to be moved", () => {
  test("goes with all its records while it serves, and leaves a pointer", async () => {
    const volume = await open();
    const log = await lead(volume, { segmentBytes: 200 });
    await append(log, "a", "b", "c", "d", "e");
    await wish("fast");
    await moved(volume, log, "/fast");
    await append(log, "f");
    expect(await contentOf(log)).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect(await names("/data/t/0")).toEqual(["00000001.moved", "00000001.seal"]);
    expect(log.leaderEpoch).toBe(2);
    expect(log.endOffsetForEpoch(0)).toEqual({ epoch: 0, endOffset: 5 });
    expect((await names("/fast/t/0")).filter((name) => name.endsWith(".arriving"))).toEqual([]);
    await volume.close();
    const again = await open();
    expect(await contentOf(await lead(again))).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect(await whereIs(again)).toEqual(["/fast"]);
  });

  test("comes back, and goes on elsewhere, wherever it is looked for", async () => {
    const volume = await open();
    const log = await lead(volume);
    await append(log, "a");
    for (const [to, path, text] of [
      ["fast", "/fast", "b"],
      [null, "/data", "c"],
      ["slow", "/slow", "d"],
      ["fast", "/fast", "e"],
    ] as const) {
      await wish(to);
      await moved(volume, log, path);
      await append(log, text);
    }
    expect(await contentOf(log)).toEqual(["a", "b", "c", "d", "e"]);
    await volume.close();
    for (const at of [undefined, "slow", "fast"]) {
      await wish(undefined, at);
      const next = await open();
      const there = await lead(next);
      expect(await contentOf(there)).toEqual(["a", "b", "c", "d", "e"]);
      expect(await whereIs(next)).toEqual(["/fast"]);
      await next.close();
    }
  });

  test("remembers its producers, what was aborted, and where leaders' epochs ended", async () => {
    const volume = await open();
    const log = await lead(volume);
    const batch = (baseSequence: number) =>
      values([`${baseSequence}`], { producerId: 7, producerEpoch: 0, baseSequence });
    await log.append(batch(0), -1);
    await log.append(batch(1), -1);
    await wish("fast");
    await moved(volume, log, "/fast");
    expect(await log.append(batch(1), -1)).toMatchObject({ errorCode: ErrorCode.NONE, baseOffset: 1 });
    expect(await log.append(batch(3), -1)).toMatchObject({ errorCode: ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER });
    expect(await log.append(batch(2), -1)).toMatchObject({ errorCode: ErrorCode.NONE, baseOffset: 2 });
    expect(log.epochAt(2)).toBe(0);
    expect(log.epochAt(3)).toBe(2);
  });

  test("stays where it is when nobody wants it moved any more, or it is there already", async () => {
    const volume = await open();
    const log = await lead(volume);
    await append(log, "a");
    await wish(null);
    await volume.topics.refresh?.("t");
    await wish();
    await volume.topics.refresh?.("t");
    await turn();
    expect(log.leaderEpoch).toBe(0);
    expect(await whereIs(volume)).toEqual(["/data"]);
    expect(await names("/fast/t/0")).toEqual([]);
  });

  test("is taken over by another broker, which finds it by the pointer", async () => {
    const first = await open();
    const log = await lead(first);
    await append(log, "a", "b");
    await wish("fast");
    await moved(first, log, "/fast");
    await append(log, "c");
    const second = await open("kaas-1");
    const theirs = await lead(second);
    expect(await contentOf(theirs)).toEqual(["a", "b", "c"]);
    expect((await log.append(values(["late"]), -1)).errorCode).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
    expect(await names("/data/t/0")).toEqual(["00000001.moved", "00000001.seal"]);
  });

  test("is found sound by those who only look, before its move and after, and where it never was led", async () => {
    const volume = await open();
    const log = await lead(volume, { segmentBytes: 200 });
    await append(log, "a", "b", "c");
    await wish("fast");
    await examined("/data/t/0");
    let isMoved = false;
    fileSystem.before = (operation, path) => {
      if (isMoved) throw new Error("the process is gone");
      isMoved = operation === "link" && path === "/data/t/0/00000001.moved";
    };
    await volume.topics.refresh?.("t");
    await until(() => isMoved);
    keep(fileSystem.killed());
    await examined("/fast/t/0");
    expect(await directories.placementOf((await directories.find("t")) as FoundTopic)).toEqual(new Map());
    const next = await open("kaas-1");
    await append(await lead(next), "d");
    await next.logs.enforceRetention();
    expect(await directories.placementOf((await directories.find("t")) as FoundTopic)).toEqual(new Map([[0, "fast"]]));
    await next.close();
    const { records, findings } = await examined("/fast/t/0");
    expect(records).toBe(4);
    expect(findings).toEqual([]);
  });

  /** What kaasctl finds, which must not be more than notes; the partition lies in that directory. */
  async function examined(directory: string): Promise<DoctorReport> {
    const seen = { directory: "/data", furtherDirectories: FURTHER, fileSystem, host: testHost };
    const inspection = await VolumeInspection.open(seen);
    const topic = await inspection.topic("t");
    expect(topic?.partitions.map((place) => place.directory)).toEqual([directory]);
    const report = await inspection.examine();
    expect(report.findings.filter(({ severity }) => severity !== "note")).toEqual([]);
    const [summary] = topic === undefined ? [] : await inspection.partitions(topic);
    expect(summary?.logStartOffset).toBe(0);
    return report;
  }

  test("is not moved to a directory that has no room, or that the broker does not have", async () => {
    const lines = recordingLog();
    const volume = await open("kaas-0", { log: lines });
    const log = await lead(volume);
    await append(log, "a");
    fileSystem.usableBytes = 10;
    await wish("fast");
    await volume.topics.refresh?.("t");
    await until(() => lines.lines.some(({ message }) => message === "a partition could not be moved"));
    fileSystem.usableBytes = Number.MAX_SAFE_INTEGER;
    await wish("unheard-of");
    await volume.topics.refresh?.("t");
    expect(lines.lines.at(-1)?.message).toContain("does not have");
    await wish("fast");
    volume.clock.advance(30_000);
    await moved(volume, log, "/fast");
    expect(await contentOf(log)).toEqual(["a"]);
  });
});

describe("a crash in the middle of a move", () => {
  /** Ends the process, or the machine, when it is about to do the n-th change; tells whether it came so far. */
  async function interrupted(
    step: number,
    loses: boolean,
  ): Promise<{ at: string | undefined; acknowledged: string[] }> {
    const volume = await open();
    const log = await lead(volume, { segmentBytes: 200 });
    const acknowledged: string[] = [];
    for (const text of ["a", "b", "c", "d"]) {
      await append(log, text);
      acknowledged.push(text);
    }
    await volume.logs.enforceRetention();
    await wish("fast");
    let count = 0;
    let at: string | undefined;
    let stopped: LosingFileSystem | undefined;
    fileSystem.before = (operation, path) => {
      if (stopped !== undefined) throw new Error("the process is gone");
      if (operation === "read" || operation === "open" || operation === "close" || ++count !== step) return;
      at = `${operation} ${path.replace(/tmp-.*/, "tmp")}`;
      stopped = loses ? fileSystem.crashed() : fileSystem.killed();
      throw new Error("the process is gone");
    };
    await volume.topics.refresh?.("t").catch(() => undefined);
    for (let turns = 0; turns < 200 && stopped === undefined; turns++) {
      await turn();
      if (log.leaderEpoch === 2 && turns > 100) break;
    }
    keep(stopped ?? fileSystem.killed());
    return { at, acknowledged };
  }

  test.each([true, false])(
    "leaves the partition whole in one place, whenever it comes, power lost: %s",
    async (loses) => {
      const places = new Set<string>();
      for (let step = 1; ; step++) {
        const { at, acknowledged } = await interrupted(step, loses);
        await wish(); // taken back: what was copied is to go
        const volume = await open("kaas-1");
        const log = await lead(volume);
        expect(await contentOf(log), `${step}: ${at}`).toEqual(acknowledged);
        await append(log, "e");
        await volume.logs.enforceRetention();
        const [home = ""] = await whereIs(volume);
        places.add(home);
        const elsewhere = home === "/fast" ? "/data/t/0" : "/fast/t/0";
        const isPointer = (name: string) => /\.(moved|seal)$/.test(name) || name.startsWith("tmp-");
        expect(
          (await names(elsewhere)).filter((name) => !isPointer(name)),
          `${step}: ${at}`,
        ).toEqual([]);
        await wish("fast");
        await moved(volume, log, "/fast");
        expect(await contentOf(log), `${step}: ${at}`).toEqual([...acknowledged, "e"]);
        await volume.close();
        if (at === undefined) break;
        await startAnew();
      }
      expect([...places].sort()).toEqual(["/data", "/fast"]);
    },
    TIMEOUT_MS,
  );
});

describe("a broker that takes over in the middle of a move", () => {
  test("before that can be acted upon: nobody is sent to where the partition would have gone", async () => {
    const first = await open();
    const log = await lead(first);
    await append(log, "a");
    await wish("fast");
    const brokers = "/data/__cluster/brokers/kaas-0";
    const fuse = (await names(brokers)).find((name) => name.endsWith(".fuse"));
    fileSystem.before = (operation, path) => {
      if (operation === "link" && path === "/data/t/0/00000001.seal") {
        fileSystem.garble(`${brokers}/${fuse}`, () => Buffer.from("BLOWN"));
      }
    };
    await first.topics.refresh?.("t");
    await first.fenced;
    for (let turns = 0; turns < 100; turns++) await turn();
    expect(await names("/data/t/0")).toContain("00000001.seal");
    expect((await names("/data/t/0")).filter((name) => name.endsWith(".moved"))).toEqual([]);
    expect((await names("/fast/t/0")).filter((name) => /\.(claim|seal)$/.test(name))).toEqual([]);
    expect((await log.append(values(["late"]), -1)).errorCode).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
    fileSystem.before = () => undefined;
    const second = await open("kaas-1");
    expect(await contentOf(await lead(second))).toEqual(["a"]);
  });

  /** Moves a partition under a producer, while another broker takes it over at the n-th operation. */
  async function contested(step: number, isAlive: boolean): Promise<boolean> {
    const first = await open("kaas-0", { isAlive: () => isAlive });
    const log = await lead(first, { segmentBytes: 300 });
    const acknowledged: string[] = [];
    let sent = 0;
    let isOver = false;
    const produce = async (to: PartitionLog): Promise<void> => {
      const text = `${++sent}`;
      const { errorCode } = await to.append(values([text]), -1);
      if (errorCode === ErrorCode.NONE) acknowledged.push(text);
    };
    for (let n = 0; n < 4; n++) await produce(log);
    const producing = (async () => {
      while (!isOver) {
        await produce(log);
        await turn();
      }
    })();
    await wish("fast");
    let count = 0;
    let opening: Promise<PartitionLog> | undefined;
    const second = await open("kaas-1", { isAlive: () => isAlive });
    fileSystem.before = () => {
      if (++count === step) opening = lead(second, { segmentBytes: 300 });
    };
    await first.topics.refresh?.("t");
    await until(
      () => log.leaderEpoch === 2 || log.health === ErrorCode.NOT_LEADER_OR_FOLLOWER || opening !== undefined,
    );
    if (isAlive) void first.logs.release(ID);
    for (let turns = 0; turns < 60; turns++) await turn();
    fileSystem.before = () => undefined;
    const wasContested = opening !== undefined;
    isOver = true;
    // As time passes only by turns, nobody is slower than others think.
    let isDone = false;
    const ticking = (async () => {
      for (; !isDone; await turn()) for (const { clock } of [first, second]) clock.advance(1);
    })();
    try {
      await producing;
      const theirs = await (opening ?? lead(second)).catch(() => lead(second));
      await produce(theirs);
      const third = await open("kaas-2");
      const last = await lead(third);
      expect(await contentOf(last), `step ${step}`).toEqual(expect.arrayContaining(acknowledged));
      expect(
        (await contentOf(last)).filter((text) => acknowledged.includes(text)),
        `step ${step}`,
      ).toEqual(acknowledged);
      for (const old of [log, theirs]) expect((await old.append(values(["x"]), -1)).errorCode).not.toBe(ErrorCode.NONE);
      await Promise.all([first, second, third].map((volume) => volume.close()));
    } finally {
      isDone = true;
      await ticking;
    }
    return wasContested;
  }

  test.each([false, true])(
    "finds all that was acknowledged, whenever it comes, after a hand-over: %s",
    async (isAlive) => {
      for (let step = 1; step < OPERATIONS && (await contested(step, isAlive)); step += 5) await startAnew();
    },
    TIMEOUT_MS,
  );
});
