import { ErrorCode } from "@kaas/core";
import { expect, test } from "vitest";
import { values } from "../testing/batches.js";
import { defaultLogConfig } from "../testing/log-config.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, recordingLog } from "../testing/open-test-volume.js";

test("a partition that is open is the same log for everybody", async () => {
  const volume = await openTestVolume(new LosingFileSystem());
  await volume.topics.create("t", 1, {});
  const [one, other] = await Promise.all([volume.partition(), volume.partition()]);
  expect(one).toBe(other);
});

test("opened while it is being released, it is opened after that, at the next epoch", async () => {
  const volume = await openTestVolume(new LosingFileSystem());
  const log = await volume.partition();
  await log.append(values(["a"]), -1);
  const releases = [volume.logs.release(log.id), volume.logs.release(log.id)];
  const again = await volume.logs.open(log.id, defaultLogConfig);
  await Promise.all(releases);
  expect([log.leaderEpoch, again.leaderEpoch, again.logEndOffset]).toEqual([0, 1, 1]);
  await volume.logs.abandon({ ...log.id, partition: 7 });
});

test("one that could not be opened can be asked for again", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  await volume.topics.create("t", 1, {});
  fileSystem.before = () => {
    throw Object.assign(new Error("EIO"), { code: "EIO" });
  };
  await expect(volume.partition()).rejects.toMatchObject({
    code: "KAAS_STORAGE_FAILED",
    message:
      "/data/t/0 could not be opened: EIO; the device failed: look at the system's log, and at the disk or the file server",
  });
  fileSystem.before = () => undefined;
  expect((await volume.partition()).health).toBe(ErrorCode.NONE);
});

test("of a topic that is not there, nothing is opened", async () => {
  const volume = await openTestVolume(new LosingFileSystem());
  const id = { topic: "no", topicId: "A".repeat(22), partition: 0 };
  await expect(volume.logs.open(id, defaultLogConfig)).rejects.toMatchObject({ code: "KAAS_TOPIC_CONFLICT" });
});

test("log directories are described, also when the volume does not answer", async () => {
  const fileSystem = new LosingFileSystem();
  fileSystem.usableBytes = 1e12;
  const volume = await openTestVolume(fileSystem);
  const log = await volume.partition();
  await log.append(values(["a"]), -1);
  const partitions = [{ topic: "t", partition: 0, sizeBytes: log.sizeBytes }];
  expect(await volume.logs.describeLogDirs()).toEqual([
    { path: "/data", errorCode: ErrorCode.NONE, totalBytes: Number.MAX_SAFE_INTEGER, usableBytes: 1e12, partitions },
  ]);
  fileSystem.space = () => Promise.reject(new Error("EIO"));
  expect(await volume.logs.describeLogDirs()).toEqual([
    { path: "/data", errorCode: ErrorCode.KAFKA_STORAGE_ERROR, totalBytes: -1, usableBytes: -1, partitions },
  ]);
});

test("retention that fails for one log goes on with the others, and is tried again", async () => {
  const fileSystem = new LosingFileSystem();
  const log = recordingLog();
  const volume = await openTestVolume(fileSystem, { log, retentionCheckIntervalMs: 1_000 });
  const topic = await volume.topics.create("many", 2, {});
  const config = { ...defaultLogConfig, segmentBytes: 1, retentionBytes: 1 };
  const logs = await Promise.all(
    [0, 1].map((partition) => volume.logs.open({ topic: "many", topicId: topic.id, partition }, config)),
  );
  for (const one of logs) for (let n = 0; n < 3; n++) await one.append(values([`${n}`]), -1);
  await volume.logs.enforceRetention();
  const start = logs.map(({ logStartOffset }) => logStartOffset);
  for (const one of logs) await one.append(values(["more"]), -1);
  await volume.logs.enforceRetention();
  for (const one of logs) await one.append(values(["more"]), -1);
  fileSystem.before = (operation, path) => {
    if (operation === "link" && path.startsWith("/data/many/0/"))
      throw Object.assign(new Error("EIO"), { code: "EIO" });
  };
  await volume.logs.enforceRetention();
  expect(log.lines.filter(({ message }) => message.includes("retention failed"))).toHaveLength(1);
  expect(logs[1]?.logStartOffset).toBeGreaterThan(start[1] as number);
  fileSystem.before = () => undefined;
  volume.clock.advance(1_000);
  await volume.logs.enforceRetention();
  expect(logs.map(({ logStartOffset }) => logStartOffset)).toEqual([4, 4]);
});

test("a log that cannot be handed over cleanly keeps nothing else from being closed", async () => {
  const fileSystem = new LosingFileSystem();
  const log = recordingLog();
  const volume = await openTestVolume(fileSystem, { log });
  const partition = await volume.partition();
  await partition.append(values(["a"]), -1);
  fileSystem.before = (operation) => {
    if (operation === "link") throw Object.assign(new Error("EIO"), { code: "EIO" });
  };
  await volume.close();
  expect(log.lines.map(({ message }) => message)).toEqual([
    expect.stringContaining("could not be handed over cleanly"),
  ]);
  expect(fileSystem.openHandles).toBe(0);
  await expect(volume.partition()).rejects.toMatchObject({ code: "KAAS_CLOSED" });
  fileSystem.before = () => undefined;
  expect((await (await openTestVolume(fileSystem.crashed())).partition()).logEndOffset).toBe(1);
});

test("how far a log is durable is noted every minute, for recovery to check less", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  const log = await volume.partition();
  await log.append(values(["a"]), -1);
  volume.clock.advance(60_000);
  await volume.logs.enforceRetention();
  const content = await fileSystem.readFile("/data/t/0/recovery-checkpoint.json");
  expect(JSON.parse(content.toString())).toEqual({ format: 1, epoch: 0, baseOffset: 0, sizeBytes: log.sizeBytes });
});
