import { ErrorCode, silentLog } from "@kaas/core";
import { beforeEach, describe, expect, test } from "vitest";
import { blowFuse } from "../leadership/fuse-file.js";
import { consume, values } from "../testing/batches.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume } from "../testing/open-test-volume.js";

let fileSystem: LosingFileSystem;
beforeEach(() => {
  fileSystem = new LosingFileSystem();
});

const turn = () => new Promise((resolve) => setImmediate(resolve));
const open = (brokerName: string) => openTestVolume(fileSystem, { sharing: "shared", brokerName, log: silentLog });
const other = { broker: "kaas-9", incarnation: "x" };

/** Blows the fuse of the only process of a broker. */
async function blow(broker: string): Promise<void> {
  const names = (await fileSystem.list(`/data/__cluster/brokers/${broker}`)).map(({ name }) => name);
  const incarnation = names.find((name) => name.endsWith(".fuse"))?.slice(0, -".fuse".length) as string;
  await blowFuse(fileSystem, "/data/__cluster/brokers", { broker, incarnation }, other);
}

describe("a broker whose fuse is blown", () => {
  test.each([-1, 1] as const)("acknowledges nothing that was on its way, acks=%s", async (acks) => {
    const volume = await open("kaas-0");
    const log = await volume.partition();
    expect((await log.append(values(["a"]), acks)).errorCode).toBe(ErrorCode.NONE);
    await blow("kaas-0");
    expect((await log.append(values(["b"]), acks)).errorCode).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
    expect(log.highWatermark).toBe(1);
    expect(log.health).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
    expect(await volume.fenced).toMatchObject({ code: "KAAS_FENCED" });
  });

  test("shows nothing to consumers that was on its way", async () => {
    const volume = await open("kaas-0");
    const log = await volume.partition({ flushMessages: 0 });
    await log.append(values(["a"]), -1);
    await blow("kaas-0");
    await log.append(values(["b"]), 0);
    await turn();
    expect(log.highWatermark).toBe(1);
  });

  test("learns of it in one place: all of its logs and journals end, and none writes any more", async () => {
    const volume = await open("kaas-0");
    const log = await volume.partition();
    const topic = await volume.topics.create("idle", 1, {});
    const idle = await volume.logs.open(
      { topic: "idle", topicId: topic.id, partition: 0 },
      (await import("../testing/log-config.js")).defaultLogConfig,
    );
    const journal = await volume.slotJournals.open("groups", 1);
    await journal.append("a");
    await blow("kaas-0");
    await log.append(values(["b"]), -1);
    await volume.fenced;
    await turn();
    let writes = 0;
    fileSystem.before = (operation) => {
      if (operation === "write" || operation === "unlink" || operation === "link") writes++;
    };
    expect((await idle.append(values(["c"]), -1)).errorCode).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
    await expect(journal.append("b")).rejects.toMatchObject({ code: "KAAS_FENCED" });
    await expect(volume.slotJournals.open("groups", 2)).rejects.toMatchObject({ code: "KAAS_FENCED" });
    expect(await idle.deleteRecords(0)).toMatchObject({ errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER });
    for (const { id } of [log, idle]) await volume.logs.release(id);
    await expect(volume.partition()).rejects.toMatchObject({ code: "KAAS_FENCED" });
    expect(writes).toBe(0);
  });

  test("removes nothing: neither segments, nor manifests, nor what a seal leaves out", async () => {
    const volume = await open("kaas-0");
    const log = await volume.partition({ segmentBytes: 1 });
    for (let n = 0; n < 4; n++) await log.append(values([`${n}`]), -1);
    await volume.logs.enforceRetention();
    await blow("kaas-0");
    const before = (await fileSystem.list("/data/t/0")).map(({ name }) => name);
    expect(await log.deleteRecords(2)).toMatchObject({ errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER });
    expect(log.logStartOffset).toBe(0);
    volume.clock.advance(120_000);
    await turn();
    const after = (await fileSystem.list("/data/t/0")).map(({ name }) => name);
    expect(after).toEqual(expect.arrayContaining(before));
  });
});

describe("taking over", () => {
  /** A partition with something to sweep, and a broker that is to take it over. */
  async function takeOver() {
    const first = await open("kaas-0");
    const old = await first.partition({ segmentBytes: 1 });
    for (let n = 0; n < 3; n++) await old.append(values([`${n}`]), -1);
    await first.logs.release(old.id);
    const second = await open("kaas-1");
    const unlinked: string[] = [];
    return { second, unlinked, isFuse: (path: string) => path.includes("/kaas-1/") && path.endsWith(".fuse") };
  }

  test("by one that is taken over from meanwhile serves nothing", async () => {
    const { second, isFuse } = await takeOver();
    fileSystem.before = (operation, path) => {
      if (operation !== "link" || !path.endsWith(".seal")) return;
      void fileSystem.list("/data/__cluster/brokers/kaas-1").then((entries) => {
        const fuse = entries.find(({ name }) => isFuse(`/kaas-1/${name}`))?.name as string;
        fileSystem.garble(`/data/__cluster/brokers/kaas-1/${fuse}`, () => Buffer.from("BLOWN"));
      });
    };
    await expect(second.partition()).rejects.toMatchObject({ code: "KAAS_FENCED" });
  });

  test("by one that is taken over from right after it began removes nothing", async () => {
    const { second, unlinked, isFuse } = await takeOver();
    let reads = 0;
    fileSystem.before = (operation, path) => {
      if (operation === "read" && isFuse(path) && ++reads === 2) fileSystem.garble(path, () => Buffer.from("BLOWN"));
      if (operation === "unlink" && !path.includes("tmp-")) unlinked.push(path);
    };
    await second.partition();
    for (let n = 0; n < 20; n++) await turn();
    expect(reads).toBeGreaterThan(1);
    expect(unlinked).toEqual([]);
  });

  test("from a broker that lives finds all that it acknowledged, and ends it", async () => {
    const first = await open("kaas-0");
    const old = await first.partition({ segmentBytes: 400 });
    for (let n = 0; n < 9; n++) await old.append(values([`${n}`]), -1);
    const second = await open("kaas-1");
    const log = await second.partition();
    expect(log.leaderEpoch).toBe(1);
    expect((await consume(log)).map(({ value }) => value)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
    expect((await old.append(values(["late"]), -1)).errorCode).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
    expect((await log.append(values(["9"]), -1)).baseOffset).toBe(9);
    // What the one before wrote after it had lost the lead does not exist, for any later leader.
    const third = await open("kaas-2");
    expect((await consume(await third.partition())).map(({ value }) => value).slice(8)).toEqual(["8", "9"]);
  });

  test("from one that has handed over leaves it in peace", async () => {
    const first = await open("kaas-0");
    const old = await first.partition();
    await old.append(values(["a"]), -1);
    await first.logs.release(old.id);
    const second = await open("kaas-1");
    expect((await consume(await second.partition())).map(({ value }) => value)).toEqual(["a"]);
    const topic = await first.topics.create("mine", 1, {});
    const id = { topic: "mine", topicId: topic.id, partition: 0 };
    const mine = await first.logs.open(id, (await import("../testing/log-config.js")).defaultLogConfig);
    expect((await mine.append(values(["b"]), -1)).errorCode).toBe(ErrorCode.NONE);
  });

  test("of a log that is being recovered by the one before: it does not come back over its successor", async () => {
    const first = await open("kaas-0");
    const old = await first.partition();
    await old.append(values(["a"]), -1);
    let failing = true;
    fileSystem.before = (operation, path) => {
      if (operation === "write" && path.endsWith(".log") && failing)
        throw Object.assign(new Error("EIO"), { code: "EIO" });
    };
    expect((await old.append(values(["b"]), -1)).errorCode).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
    failing = false;
    const second = await open("kaas-1");
    const log = await second.partition();
    for (let n = 0; n < 50 && old.health === ErrorCode.KAFKA_STORAGE_ERROR; n++) {
      first.clock.advance(10_000);
      await turn();
    }
    expect(old.health).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
    expect((await log.append(values(["c"]), -1)).errorCode).toBe(ErrorCode.NONE);
  });

  test("makes durable what the one before had only written, before anybody relies on it", async () => {
    const first = await open("kaas-0");
    const old = await first.partition({ flushMessages: 0 });
    await old.append(values(["a"]), 1);
    const second = await open("kaas-1");
    await second.partition();
    fileSystem = fileSystem.crashed();
    const third = await open("kaas-2");
    expect((await consume(await third.partition())).map(({ value }) => value)).toEqual(["a"]);
  });
});
