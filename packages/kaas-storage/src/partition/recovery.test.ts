import { KaasError } from "@kaas/core";
import { batch } from "@kaas/core/internal";
import { describe, expect, test } from "vitest";
import { consume, values } from "../testing/batches.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, recordingLog } from "../testing/open-test-volume.js";

const LOG = "/data/t/0/00000000-00000000000000000000.log";
const texts = ["zero", "one", "two", "three"];
const batches = texts.map((text) => values([text]));

/** A partition with four batches whose leader has died, and the file system it left. */
async function died(fileSystem = new LosingFileSystem()): Promise<LosingFileSystem> {
  const volume = await openTestVolume(fileSystem);
  const log = await volume.partition();
  for (const text of texts) await log.append(values([text]), -1);
  return fileSystem.killed();
}

/** What the next leader finds. */
async function found(fileSystem: LosingFileSystem): Promise<{ offsets: string[]; end: number; warnings: string[] }> {
  const log = recordingLog();
  const volume = await openTestVolume(fileSystem, { log });
  const partition = await volume.partition();
  const records = await consume(partition);
  const next = await partition.append(values(["next"]), -1);
  expect(next.baseOffset).toBe(partition.logEndOffset - 1);
  await volume.close();
  expect(fileSystem.openHandles).toBe(0);
  const warnings = log.lines.filter(({ level }) => level !== "info").map(({ message }) => message);
  return { offsets: records.map(({ offset, value }) => `${offset} ${value}`), end: next.baseOffset, warnings };
}

const whole = texts.map((text, offset) => `${offset} ${text}`);
const sizes = batches.map((one) => one.length);
const start = (index: number) => sizes.slice(0, index).reduce((sum, size) => sum + size, 0);

describe("a seal that is gone", () => {
  const gone = (fileSystem: LosingFileSystem) => fileSystem.unlink("/data/t/0/00000000.seal");
  const message = /00000000\.seal is missing, and epoch 0 wrote/;

  test.each(["killed", "handed over"])("keeps a log that was %s from being opened, and its files", async (end) => {
    let fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition();
    for (const text of texts) await log.append(values([text]), -1);
    if (end === "killed") fileSystem = fileSystem.killed();
    else await volume.close();
    const seal = await fileSystem.readFile("/data/t/0/00000000.seal");
    await gone(fileSystem);
    const next = await openTestVolume(fileSystem);
    for (let attempt = 1; attempt <= 2; attempt++) {
      await expect(next.partition()).rejects.toMatchObject({
        code: "KAAS_VOLUME_INVALID",
        message: expect.stringMatching(message),
      });
    }
    await next.close();
    const handle = await fileSystem.open("/data/t/0/00000000.seal", "create");
    await handle.writev([seal], 0);
    await handle.close();
    expect((await found(fileSystem)).offsets).toEqual(whole);
  });
});

describe("after a crash", () => {
  test("everything that was acknowledged is there", async () => {
    expect(await found(await died())).toEqual({ offsets: whole, end: 4, warnings: [] });
    const disk = new LosingFileSystem();
    await died(disk);
    expect(await found(disk.crashed())).toEqual({ offsets: whole, end: 4, warnings: [] });
  });

  test("what no fsync had covered is durable once it is served, however large its batches", async () => {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    const large = "x".repeat(3 * 1024 * 1024);
    const log = await volume.partition({ flushMessages: 0, maxMessageBytes: 4 * 1024 * 1024 });
    for (const text of ["zero", large, "two"]) await log.append(values([text]), -1);
    const killed = fileSystem.killed();
    await (await openTestVolume(killed)).partition();
    const { offsets } = await found(killed.crashed());
    expect(offsets).toEqual(["0 zero", `1 ${large}`, "2 two"]);
  });

  test("a file that ends anywhere ends with its last whole batch", async () => {
    for (let length = 0; length <= start(4); length++) {
      const fileSystem = await died();
      fileSystem.garble(LOG, (content) => content.subarray(0, length));
      const complete = [1, 2, 3, 4].filter((count) => start(count) <= length).length;
      const { offsets, end, warnings } = await found(fileSystem);
      expect(offsets).toEqual(whole.slice(0, complete));
      expect(end).toBe(complete);
      // A tail of zeros cannot be told from zeros written ahead, and need not be: nothing but offsets 0 begin so.
      if (length === start(complete)) expect(warnings).toEqual([]);
    }
  });

  test("a flipped bit anywhere in the last two batches ends the log before it, and is reported", async () => {
    for (let at = start(2); at < start(4); at++) {
      const fileSystem = await died();
      fileSystem.garble(LOG, (content) => {
        content[at] = (content[at] as number) ^ 0x10;
        return content;
      });
      const complete = at < start(3) ? 2 : 3;
      const { offsets, warnings } = await found(fileSystem);
      // The epoch and the base offset lie outside the checksum, and are compared with what they have to be.
      expect(offsets).toEqual(whole.slice(0, complete));
      expect(warnings).toHaveLength(1);
    }
  });

  test("zeros that were written ahead are no batches", async () => {
    for (const zeros of [1, 60, 61, 10_000]) {
      const fileSystem = await died();
      fileSystem.garble(LOG, (content) => Buffer.concat([content.subarray(0, start(4)), Buffer.alloc(zeros)]));
      expect(await found(fileSystem)).toEqual({ offsets: whole, end: 4, warnings: [] });
      expect((await fileSystem.readFile(LOG)).length).toBe(start(4));
    }
  });

  test("bytes of an older file behind the end are no batches", async () => {
    for (const change of [
      (old: Buffer) => batch.setLeaderEpoch(old, 0, 3),
      (old: Buffer) => batch.setBaseOffset(old, 0, 7),
      (old: Buffer) => batch.setBaseOffset(old, 0, 0),
    ]) {
      const fileSystem = await died();
      const old = values(["old"]);
      batch.setLeaderEpoch(old, 0, 0);
      batch.setBaseOffset(old, 0, 4);
      change(old);
      fileSystem.garble(LOG, (content) => Buffer.concat([content.subarray(0, start(4)), old]));
      const { offsets, warnings } = await found(fileSystem);
      expect(offsets).toEqual(whole);
      expect(warnings).toHaveLength(1);
    }
  });

  test("valid batches behind a bad one are called damage, and kept in the file", async () => {
    const fileSystem = await died();
    fileSystem.garble(LOG, (content) => {
      content[start(2) - 1] = (content[start(2) - 1] as number) ^ 1;
      return content;
    });
    const { offsets, warnings } = await found(fileSystem);
    expect(offsets).toEqual(whole.slice(0, 1));
    expect(warnings).toEqual([expect.stringContaining("damaged")]);
    expect((await fileSystem.readFile(LOG)).includes("three")).toBe(true);
  });

  test("damage to what a checkpoint calls durable keeps the partition from opening", async () => {
    const fileSystem = await died();
    const checkpoint = { format: 1, epoch: 0, baseOffset: 0, sizeBytes: start(3) };
    const handle = await fileSystem.open("/data/t/0/recovery-checkpoint.json", "create");
    handle.writevSync([Buffer.from(JSON.stringify(checkpoint))], 0);
    await handle.close();
    fileSystem.garble(LOG, (content) => content.subarray(0, start(3) - 1));
    const volume = await openTestVolume(fileSystem);
    await expect(volume.partition()).rejects.toThrow(KaasError);
    await expect(volume.partition()).rejects.toMatchObject({ code: "KAAS_VOLUME_INVALID" });
    await expect(volume.partition()).rejects.toThrow(/00000000000000000000\.log is damaged at byte/);
  });

  test("a seal or a hand-over that is not what it should be names the file", async () => {
    const fileSystem = await died();
    fileSystem.garble("/data/t/0/00000000.seal", () => Buffer.from('{"format":4}'));
    const volume = await openTestVolume(fileSystem);
    await expect(volume.partition()).rejects.toThrow(/00000000\.seal is not usable: its format is 4/);
  });

  test("hints that are not readable are done without", async () => {
    const fileSystem = await died();
    const handle = await fileSystem.open("/data/t/0/recovery-checkpoint.json", "create");
    handle.writevSync([Buffer.from("not json")], 0);
    await handle.close();
    expect((await found(fileSystem)).offsets).toEqual(whole);
  });

  test("a leader that claimed and died before its seal is passed over", async () => {
    for (const operations of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) {
      const fileSystem = await died();
      const volume = await openTestVolume(fileSystem);
      let left = operations;
      fileSystem.before = () => {
        if (left-- <= 0) throw Object.assign(new Error("the process is dead"), { code: "EIO" });
      };
      await volume.partition().catch(() => undefined);
      fileSystem.before = () => undefined;
      expect((await found(fileSystem.crashed())).offsets).toEqual(whole);
    }
  });
});

describe("segments that were rolled", () => {
  const rolled = { segmentBytes: 1, indexIntervalBytes: 1 };

  test("are known from the manifest, and scanned when there was no time for one", async () => {
    for (const settles of [true, false]) {
      const fileSystem = new LosingFileSystem();
      const volume = await openTestVolume(fileSystem);
      const log = await volume.partition(rolled);
      for (const text of texts) await log.append(values([text]), -1);
      if (settles) await volume.logs.enforceRetention();
      const { offsets, warnings } = await found(fileSystem.crashed());
      expect(offsets).toEqual(whole);
      expect(warnings).toEqual([]);
    }
  });

  test("indexes that are missing, cut or wrong are made anew", async () => {
    const paths = ["index", "timeindex"].map((kind) => `/data/t/0/00000000-00000000000000000000.${kind}`);
    const changes = [
      (content: Buffer) => content.subarray(0, content.length - 8),
      (content: Buffer) => content.fill(0),
      (content: Buffer) => content.fill(0xff),
      () => Buffer.alloc(0),
    ];
    for (const change of changes) {
      const fileSystem = new LosingFileSystem();
      const volume = await openTestVolume(fileSystem);
      const log = await volume.partition({ indexIntervalBytes: 1, retentionMs: -1 });
      for (const [n, text] of texts.entries()) await log.append(values([text], {}, 1_000 + n), -1);
      await volume.close();
      for (const path of paths) fileSystem.garble(path, change);
      const again = await (await openTestVolume(fileSystem)).partition({ indexIntervalBytes: 1 });
      expect(await consume(again, 2)).toMatchObject([{ offset: 2 }, { offset: 3 }]);
      expect(await again.offsetForTimestamp(1_002, "read_uncommitted")).toMatchObject({ offset: 2 });
      for (const path of paths) await fileSystem.unlink(path);
      const third = await (await openTestVolume(fileSystem)).partition({ indexIntervalBytes: 1 });
      expect(await third.offsetForTimestamp(1_003, "read_uncommitted")).toMatchObject({ offset: 3 });
    }
  });
});

describe("without an fsync for every group", () => {
  test("a machine that lost the middle of the log keeps what came before it, and offsets do not come again", async () => {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition({ flushMessages: 0, segmentBytes: 1, retentionMs: -1 });
    fileSystem.beforeSync = (path) => (path.endsWith(".log") ? new Promise(() => undefined) : Promise.resolve());
    for (const text of texts) await log.append(values([text]), -1);
    const lost = "00000000-00000000000000000001.log";
    const after = fileSystem.crashed((what, count, name) => (what === "bytes" && name === lost ? 0 : count));
    const { offsets, end, warnings } = await found(after);
    expect([offsets, end]).toEqual([["0 zero"], 1]);
    expect(warnings).toEqual([
      expect.stringContaining("does not follow the one before"),
      expect.stringContaining("does not follow the one before"),
    ]);
  });

  test("a machine that left garbage behind the batches of a segment keeps the segments that follow", async () => {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition({ flushMessages: 0, segmentBytes: 1, retentionMs: -1 });
    fileSystem.beforeSync = (path) => (path.endsWith(".log") ? new Promise(() => undefined) : Promise.resolve());
    for (const text of texts) await log.append(values([text]), -1);
    const after = fileSystem.killed();
    const path = "/data/t/0/00000000-00000000000000000001.log";
    after.garble(path, (content) => Buffer.concat([content, Buffer.alloc(100), Buffer.from("garbage")]));
    const { offsets, end } = await found(after);
    expect([offsets, end]).toEqual([whole, texts.length]);
  });

  test("a machine that lost records which had been deleted goes on behind them", async () => {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition({ flushMessages: 0 });
    for (const text of texts) await log.append(values([text]), -1);
    await log.deleteRecords(3);
    const again = await (await openTestVolume(fileSystem.crashed())).partition();
    expect([again.logStartOffset, again.logEndOffset]).toEqual([3, 3]);
    expect((await again.append(values(["next"]), -1)).baseOffset).toBe(3);
    expect(await consume(again)).toMatchObject([{ offset: 3, value: "next" }]);
  });
});

describe("producers", () => {
  const sent = (sequence: number) => values(["x"], { producerId: 9, producerEpoch: 2, baseSequence: sequence });

  test("are known again after a crash, a clean stop, and both", async () => {
    let fileSystem = new LosingFileSystem();
    let sequence = 0;
    for (const clean of [false, true, true, false, false, true]) {
      const volume = await openTestVolume(fileSystem);
      const log = await volume.partition({ segmentBytes: 250 });
      if (sequence > 0) {
        const retry = await log.append(sent(sequence - 1), -1);
        expect(retry).toMatchObject({ errorCode: 0, baseOffset: sequence - 1 });
      }
      for (let n = 0; n < 4; n++) expect(await log.append(sent(sequence++), -1)).toMatchObject({ errorCode: 0 });
      if (clean) await volume.close();
      fileSystem = fileSystem.crashed();
    }
    const log = await (await openTestVolume(fileSystem)).partition();
    expect(log.producers()).toMatchObject([{ producerId: 9, producerEpoch: 2, lastSequence: sequence - 1 }]);
  });

  test("are saved as the log knows them, never ahead of it", async () => {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition({ segmentBytes: 1 });
    await log.append(sent(0), -1);
    // A segment is closed while a batch that is not durable yet has been taken note of.
    const held: (() => void)[] = [];
    fileSystem.beforeSync = (path) =>
      path.endsWith(".log") ? new Promise((resolve) => held.push(() => resolve())) : Promise.resolve();
    const appends = [1, 2, 3].map((sequence) => log.append(sent(sequence), -1));
    await new Promise((resolve) => setImmediate(resolve));
    const lost = await (await openTestVolume(fileSystem.crashed())).partition();
    for (const sequence of [1, 2, 3]) {
      expect(await lost.append(sent(sequence), -1)).toMatchObject({ errorCode: 0, baseOffset: sequence });
    }
    fileSystem.beforeSync = async () => undefined;
    for (const release of held) release();
    await Promise.all(appends);
    for (const sequence of [4, 5, 6]) await log.append(sent(sequence), -1);
    await volume.logs.enforceRetention();
    const kept = await (await openTestVolume(fileSystem.crashed())).partition();
    for (const sequence of [2, 3, 4, 5, 6]) {
      expect(await kept.append(sent(sequence), -1)).toMatchObject({ errorCode: 0, baseOffset: sequence });
    }
    expect(kept.logEndOffset).toBe(7);
  });

  test("saved in the middle of a segment are taken on from there", async () => {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition({ segmentBytes: 2.5 * sent(0).length });
    await Promise.all([0, 1, 2, 3, 4].map((sequence) => log.append(sent(sequence), -1)));
    await log.append(sent(5), -1);
    await volume.logs.enforceRetention();
    const again = await (await openTestVolume(fileSystem.crashed())).partition();
    for (const sequence of [1, 2, 3, 4, 5]) {
      expect(await again.append(sent(sequence), -1)).toMatchObject({ errorCode: 0, baseOffset: sequence });
    }
    expect((await again.append(sent(0), -1)).errorCode).toBe(45);
  });

  test("survive the removal of all their records", async () => {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition();
    await log.append(sent(0), -1);
    await log.deleteRecords(-1);
    await volume.close();
    const again = await (await openTestVolume(fileSystem)).partition();
    expect(await again.append(sent(0), -1)).toMatchObject({ errorCode: 0, baseOffset: 0 });
    expect(await again.append(sent(1), -1)).toMatchObject({ errorCode: 0, baseOffset: 1 });
  });

  test("a snapshot that is not readable is made up for from the log", async () => {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    await (await volume.partition()).append(sent(0), -1);
    await volume.close();
    fileSystem.garble("/data/t/0/00000000-00000000000000000001.snapshot", () => Buffer.from("{"));
    const log = recordingLog();
    const again = await (await openTestVolume(fileSystem, { log })).partition();
    expect(await again.append(sent(0), -1)).toMatchObject({ errorCode: 0, baseOffset: 0 });
    expect(log.lines).toHaveLength(1);
  });
});

test("a clean stop leaves nothing to scan", async () => {
  const fileSystem = await died();
  const volume = await openTestVolume(fileSystem);
  await (await volume.partition()).append(values(["more"]), -1);
  await volume.close();
  let reads = 0;
  fileSystem.before = (operation, path) => {
    if (path.endsWith(".log") && operation !== "unlink") reads++;
  };
  const again = await openTestVolume(fileSystem);
  const log = await again.partition();
  expect([log.logEndOffset, reads]).toEqual([5, 0]);
});
