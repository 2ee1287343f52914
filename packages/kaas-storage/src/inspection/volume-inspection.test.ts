import { batch, slotOf } from "@kaas/core/internal";
import { expect, test } from "vitest";
import { ExternalAddressesFile } from "../cluster/external-addresses-file.js";
import { encodeDocument } from "../documents/documents.js";
import { writeNewFile } from "../documents/durable-files.js";
import type { FileSystem } from "../file-system/file-system.js";
import { values } from "../testing/batches.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, type TestVolume } from "../testing/open-test-volume.js";
import { TestRandom } from "../testing/test-clock.js";
import { testHost } from "../testing/test-inspection-host.js";
import { TestProducer } from "../testing/transactions.js";
import type { InspectionHost } from "./inspection-host.js";
import { VolumeInspection } from "./volume-inspection.js";

function inspect(fileSystem: FileSystem, host: InspectionHost = testHost): Promise<VolumeInspection> {
  return VolumeInspection.open({ directory: "/data/", fileSystem, host });
}

async function appendTo(volume: TestVolume, count: number, segmentBytes = 300): Promise<void> {
  const log = await volume.partition({ segmentBytes });
  for (let n = 0; n < count; n++) await log.append(values([`value ${n}`]), -1);
}

test("a volume that was closed in order has nothing to tell", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  await appendTo(volume, 10);
  await volume.close();
  const report = await (await inspect(fileSystem)).examine();
  expect(report).toMatchObject({ findings: [], isSound: true, partitions: 1, batches: 10, records: 10 });
});

test("a volume whose process was killed is sound", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  await appendTo(volume, 10);
  expect(await (await inspect(fileSystem.killed())).examine()).toMatchObject({ isSound: true, batches: 10 });
});

test("nothing is opened for writing, and nothing changed", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  await appendTo(volume, 10);
  await volume.close();
  fileSystem.before = (operation) => {
    if (!["open", "read", "close"].includes(operation)) throw new Error(`${operation} by somebody who only looks`);
  };
  const open = fileSystem.open.bind(fileSystem);
  fileSystem.open = (path, mode) => {
    if (mode !== "read") throw new Error(`${path} was opened to ${mode}`);
    return open(path, mode);
  };
  const inspection = await inspect(fileSystem);
  expect((await inspection.examine()).findings).toEqual([]);
  const [topic] = await inspection.topics();
  expect(topic && (await inspection.partitions(topic))).toMatchObject([
    { source: "released", segments: expect.any(Number) },
  ]);
});

test("segments that retention removes while they are looked at are no finding", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  const log = await volume.partition({ segmentBytes: 300, retentionBytes: 300, fileDeleteDelayMs: 0 });
  for (let n = 0; n < 20; n++) await log.append(values([`value ${n}`]), -1);
  let removed = 0;
  const list = fileSystem.list.bind(fileSystem);
  fileSystem.list = async (directory) => {
    const listed = await list(directory);
    // Between the listing and what is read because of it.
    if (directory === "/data/t/0" && removed++ < 3) {
      for (let n = 0; n < 3; n++) await log.append(values([`more ${n}`]), -1);
      fileSystem.list = list;
      await volume.logs.enforceRetention();
      volume.clock.advance(1);
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    return listed;
  };
  const host = { ...testHost, lockHolderOf: async () => ({ pid: 1, host: "here" }) };
  const report = await (await inspect(fileSystem, host)).examine();
  expect(report.findings).toEqual([]);
  expect(log.logStartOffset).toBeGreaterThan(0);
  expect(removed).toBe(1);
});

test("what is wrong for one look only is not reported", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  await appendTo(volume, 3, 1_000_000);
  await volume.close();
  const read = fileSystem.readFile.bind(fileSystem);
  let failures = 0;
  fileSystem.readFile = async (path) => {
    if (path.endsWith(".seal") && failures++ === 0) return Buffer.from('{"format":');
    return read(path);
  };
  expect((await (await inspect(fileSystem)).examine()).findings).toEqual([]);
  expect(failures).toBeGreaterThan(1);
});

test("damage is gone over by the dump, and what follows is shown", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  await appendTo(volume, 5, 1_000_000);
  await volume.close();
  const path = "/data/t/0/00000000-00000000000000000000.log";
  const size = (await fileSystem.readFile(path)).length / 5;
  fileSystem.garble(path, (content) => {
    content.writeInt32BE(-5, size + 8);
    return content;
  });
  const inspection = await inspect(fileSystem);
  const place = { topic: "t", partition: 0, directory: "/data/t/0" };
  const seen: string[] = [];
  for await (const item of inspection.batches(place)) {
    seen.push(item.kind === "batch" ? String(item.baseOffset) : `${item.finding.code} ${item.finding.position}`);
  }
  expect(seen).toEqual(["0", `batch-damaged ${size}`, "2", "3", "4"]);
  expect((await inspection.verify(place))?.findings).toMatchObject([
    { code: "batch-damaged", position: size, file: path },
  ]);
});

test("an aborted transaction that reaches over segments is followed", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  const { first } = await volume.files.claimProducerIds();
  const log = await volume.partition({ segmentBytes: 300 });
  const producer = new TestProducer(first);
  for (let n = 0; n < 6; n++) await producer.send(log, `value ${n}`);
  await producer.end(log, false);
  await log.append(values(["after"]), -1);
  await volume.close();
  const inspection = await inspect(fileSystem);
  expect((await inspection.examine()).findings).toEqual([]);
  const path = (await fileSystem.list("/data/t/0")).find(({ name }) => name.endsWith(".txnindex"))?.name;
  fileSystem.garble(`/data/t/0/${path}`, (content) => {
    content.writeBigInt64BE(3n, 10);
    return content;
  });
  const { findings } = await inspection.examine();
  expect(findings).toMatchObject([{ code: "index-wrong", file: `/data/t/0/${path}` }]);
});

test("groups are read as their coordinator would have them", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  const journal = await volume.slotJournals.open("groups", slotOf("g", 50));
  const topic = { topic: "t", topicId: "A".repeat(22) };
  const commit = (group: string, partition: number, offset: number) => ({
    type: "commit",
    group,
    committedAt: 5,
    expiresAt: null,
    topics: [{ ...topic, partitions: [[partition, offset, -1, "m"] as const] }],
  });
  await journal.append(commit("g", 1, 10));
  await journal.append(commit("g", 0, 7));
  await journal.append(commit("g", 1, 11));
  const group = { group: "g", protocolType: "consumer", protocol: "range", generation: 3 };
  await journal.append({ type: "group", ...group, emptySince: 9 });
  const inspection = await inspect(fileSystem);
  expect(await inspection.group("g")).toMatchObject({
    generation: 3,
    emptySince: 9,
    offsets: [
      { partition: 0, offset: 7, metadata: "m", committedAt: 5 },
      { partition: 1, offset: 11 },
    ],
  });
  await journal.append({ type: "delete-offsets", group: "g", topics: [{ topic: "t", partitions: [0] }] });
  expect((await inspection.group("g"))?.offsets).toMatchObject([{ partition: 1 }]);
  await journal.append({ type: "delete-topic", ...topic });
  expect((await inspection.group("g"))?.offsets).toEqual([]);
  await journal.writeSnapshot({
    groups: [{ ...group, emptySince: null, offsets: [{ ...topic, partitions: [[2, 5, 0, "", 1, null]] }] }],
  });
  expect(await inspection.group("g")).toMatchObject({ emptySince: null, offsets: [{ partition: 2, offset: 5 }] });
  expect(await inspection.groupNames()).toEqual(["g"]);
  await journal.append({ type: "delete-group", group: "g" });
  expect(await inspection.group("g")).toBeUndefined();
  expect(await inspection.slots("groups")).toMatchObject([
    { groups: 0, entries: 1, isReleased: false, fuse: "live", findings: [] },
  ]);
  await journal.append({ type: "nonsense" });
  const { findings } = await inspection.examine();
  expect(findings).toMatchObject([{ code: "slot-entry-invalid", file: expect.stringMatching(/\.journal$/) }]);
});

test("a broker that shares the volume counts as at work for as long as its fuse says so", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem, { sharing: "shared", brokerName: "kaas-7" });
  const inspection = await inspect(fileSystem);
  expect(await inspection.users()).toMatchObject({ isLive: true, brokers: [{ broker: "kaas-7", fuse: "live" }] });
  await volume.close();
  expect(await inspection.users()).toMatchObject({ isLive: false, brokers: [] });
});

test("what operators write is read by its kind, addresses of load balancers too", async () => {
  const fileSystem = new LosingFileSystem();
  await (await openTestVolume(fileSystem)).close();
  const addresses = new ExternalAddressesFile({ fileSystem, random: new TestRandom() }, "/data/__cluster");
  await addresses.write([{ name: "external", brokers: [{ nodeId: 0, host: "203.0.113.7", port: 9094 }] }]);
  expect((await (await inspect(fileSystem)).examine()).findings).toEqual([]);
  fileSystem.garble(addresses.path, () => Buffer.from("{"));
  const { findings } = await (await inspect(fileSystem)).examine();
  expect(findings).toMatchObject([{ code: "json-unreadable", file: addresses.path }]);
});

test("a full volume, and one that others may look into", async () => {
  const fileSystem = new LosingFileSystem();
  await (await openTestVolume(fileSystem)).close();
  await writeNewFile(fileSystem, "/data/__cluster/credentials.json", Buffer.from("{}"), true);
  fileSystem.usableBytes = 1_000;
  const host: InspectionHost = {
    ...testHost,
    statusOf: async (path) => ({
      userId: path.endsWith("cluster.json") ? 7 : 0,
      groupId: 0,
      mode: path.endsWith(".json") && !path.includes("cluster.json") ? 0o604 : path === "/data" ? 0o755 : 0o500,
      isDirectory: !path.endsWith(".json"),
    }),
  };
  const { findings } = await (await inspect(fileSystem, host)).examine();
  const found = findings.map(({ code, file }) => `${code} ${file}`);
  expect(found).toContain("space-low /data");
  expect(found).toContain("volume-exposed /data");
  expect(found).toContain("owner-foreign /data/__cluster/cluster.json");
  expect(found).toContain("mode-unwritable /data/__cluster");
  expect(found).toContain("secrets-exposed /data/__cluster/credentials.json");
});

test("an epoch that was claimed and not sealed is a note; damage before the checkpoint is an error", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  await appendTo(volume, 3, 1_000_000);
  const killed = fileSystem.killed();
  const claim = encodeDocument("claim", { epoch: 1, broker: "kaas-0", incarnation: "x" });
  await writeNewFile(killed, "/data/t/0/00000001.claim", claim, true);
  const inspection = await inspect(killed);
  expect(await inspection.examine()).toMatchObject({
    isSound: true,
    findings: [{ code: "epoch-unsealed", file: "/data/t/0/00000001.claim" }],
  });
  const checkpoint = encodeDocument("checkpoint", { epoch: 0, baseOffset: 0, sizeBytes: 100_000 });
  await writeNewFile(killed, "/data/t/0/recovery-checkpoint.json", checkpoint, true);
  const { findings } = await inspection.examine();
  expect(findings[0]).toMatchObject({ code: "tail-damaged", file: "/data/t/0/00000000-00000000000000000000.log" });
});

test("what was not written before what follows it is a torn end: writes under way arrive in any order", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  await appendTo(volume, 3, 1_000_000);
  const killed = fileSystem.killed();
  const file = "/data/t/0/00000000-00000000000000000000.log";
  const bytes = await killed.readFile(file);
  const size = batch.batchSize(bytes, 0);
  const without = (value: number): Buffer => Buffer.from(bytes).fill(value, size, 2 * size);
  const inspection = await inspect(killed);
  killed.garble(file, () => without(0));
  const torn = {
    code: "tail-torn",
    file,
    message: expect.stringContaining(`never written a valid one begins at byte ${2 * size}`),
  };
  expect(await inspection.examine()).toMatchObject({ isSound: true, findings: [torn], batches: 1 });
  const dumped: unknown[] = [];
  for await (const item of inspection.batches({ topic: "t", partition: 0, directory: "/data/t/0" })) dumped.push(item);
  const hole = { kind: "finding", finding: { code: "tail-torn", severity: "note", position: size } };
  expect(dumped).toMatchObject([{ baseOffset: 0 }, hole, { baseOffset: 2 }]);
  killed.garble(file, () => without(1));
  expect(await inspection.examine()).toMatchObject({ isSound: false, findings: [{ code: "tail-damaged", file }] });
});

test("a directory that is no volume is a wrong argument", async () => {
  const fileSystem = new LosingFileSystem();
  await fileSystem.makeDirectory("/data");
  await expect(inspect(fileSystem)).rejects.toMatchObject({ code: "KAAS_CONFIG_INVALID" });
  await expect(VolumeInspection.open({ directory: "/no", fileSystem })).rejects.toMatchObject({
    code: "KAAS_CONFIG_INVALID",
    message: "there is no directory /no",
  });
});
