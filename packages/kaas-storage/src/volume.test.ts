import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { buildBatch, logConfigOf, type PartitionId, silentLog } from "@kaas/core";
import { batch } from "@kaas/core/internal";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { defaultLogConfig } from "./testing/log-config.js";
import { TestClock, TestRandom } from "./testing/test-clock.js";
import { openVolume } from "./volume.js";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(`${tmpdir()}/kaas-volume-`);
});
afterEach(() => rm(directory, { recursive: true }));

const open = () =>
  openVolume({
    directory,
    clock: new TestClock(),
    random: new TestRandom(Math.floor(Math.random() * 1e9)),
    log: silentLog,
  });

describe("a volume on disk", () => {
  test("is made with the directories on the way to it, and kept for one process", async () => {
    const path = `${directory}/a/b/c/`;
    const first = await openVolume({
      directory: path,
      clock: new TestClock(),
      random: new TestRandom(),
      log: silentLog,
    });
    const second = openVolume({ directory: path, clock: new TestClock(), random: new TestRandom(9), log: silentLog });
    await expect(second).rejects.toMatchObject({ code: "KAAS_VOLUME_LOCKED" });
    await first.close();
    await (
      await openVolume({ directory: path, clock: new TestClock(), random: new TestRandom(99), log: silentLog })
    ).close();
  });

  test("asks for a directory only", async () => {
    const volume = await openVolume({ directory });
    const topic = await volume.topics.create("t", 1, {});
    const log = await volume.logs.open({ topic: "t", topicId: topic.id, partition: 0 }, logConfigOf());
    await log.append(buildBatch([{ value: Buffer.from("v") }]), -1);
    expect(log.highWatermark).toBe(1);
    expect(topic.id).toMatch(/^[\w-]{22}$/);
    await volume.close();
  });

  test("that cannot be made says which directory, and why", async () => {
    await writeFile(`${directory}/file`, "");
    const options = { clock: new TestClock(), random: new TestRandom(), log: silentLog };
    await expect(openVolume({ directory: `${directory}/file/data`, ...options })).rejects.toMatchObject({
      code: "KAAS_STORAGE_FAILED",
      message: expect.stringMatching(/\/file\/data cannot be used as a data directory: ENOTDIR/),
    });
  });

  test("keeps what was appended over a restart", async () => {
    let volume = await open();
    const topic = await volume.topics.create("t", 1, {});
    const id: PartitionId = { topic: "t", topicId: topic.id, partition: 0 };
    let log = await volume.logs.open(id, defaultLogConfig);
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, n) => log.append(buildBatch([{ value: Buffer.from(`v${n}`), timestamp: n }]), -1)),
    );
    expect(results.map((one) => one.baseOffset)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(log.highWatermark).toBe(10);
    await volume.close();
    volume = await open();
    expect([...volume.topics.topics()]).toEqual([topic]);
    log = await volume.logs.open(id, defaultLogConfig);
    expect(log.leaderEpoch).toBe(1);
    expect(log.logEndOffset).toBe(10);
    const read = await log.read(3, { maxBytes: 1e6, minOneBatch: true, isolation: "read_uncommitted" });
    expect(batch.baseOffset(read.records[0] as Buffer, 0)).toBe(3);
    await volume.close();
  });
});
