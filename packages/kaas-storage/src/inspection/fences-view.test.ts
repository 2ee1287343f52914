import { expect, test } from "vitest";
import { encodeDocument } from "../documents/documents.js";
import { writeNewFile } from "../documents/durable-files.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume } from "../testing/open-test-volume.js";
import { testHost } from "../testing/test-inspection-host.js";
import { VolumeInspection } from "./volume-inspection.js";

function inspect(fileSystem: LosingFileSystem): Promise<VolumeInspection> {
  return VolumeInspection.open({ directory: "/data", fileSystem, host: testHost });
}

test("a process that others took over from is fenced, and what they took is named", async () => {
  const fileSystem = new LosingFileSystem();
  const first = await openTestVolume(fileSystem, { sharing: "shared", brokerName: "kaas-0" });
  await first.partition();
  await first.slotJournals.open("groups", 3);
  const inspection = await inspect(fileSystem);
  expect(await inspection.fences()).toEqual({ fenced: [], takeovers: [], findings: [] });
  expect((await inspection.processes()).processes).toMatchObject([{ broker: "kaas-0", fuse: "live", claims: 2 }]);

  const second = await openTestVolume(fileSystem, { sharing: "shared", brokerName: "kaas-1" });
  await second.partition();
  expect(await inspection.fences()).toMatchObject({
    fenced: [{ broker: "kaas-0", fuse: "blown", blownBy: { broker: "kaas-1" }, claims: 1 }],
    takeovers: [], // who has taken the lead sweeps the claims before its own
  });
  expect((await inspection.processes()).processes).toMatchObject([
    { broker: "kaas-0", fuse: "blown", claims: 1 },
    { broker: "kaas-1", fuse: "live", claims: 1 },
  ]);
});

test("a process that was started again has cleared its predecessor's fuse away, whose claims are still there", async () => {
  const fileSystem = new LosingFileSystem();
  const crashed = await openTestVolume(fileSystem, { sharing: "shared", brokerName: "kaas-0" });
  await crashed.partition();
  const again = await openTestVolume(fileSystem, { sharing: "shared", brokerName: "kaas-0" });
  const inspection = await inspect(fileSystem);
  expect((await inspection.processes()).processes).toMatchObject([
    { broker: "kaas-0", fuse: "live", claims: 0 },
    { broker: "kaas-0", fuse: "gone", file: undefined, claims: 1 },
  ]);
  await again.partition();
  expect(await inspection.fences()).toMatchObject({ fenced: [], takeovers: [] });
});

test("a claim that has overtaken another one is a takeover, complete once its leader has begun", async () => {
  const fileSystem = new LosingFileSystem();
  const overtaken = await openTestVolume(fileSystem, { sharing: "shared", brokerName: "kaas-0" });
  await overtaken.partition();
  const inspection = await inspect(fileSystem);
  const { incarnation } = (await inspection.users()).brokers[0] ?? { incarnation: "" };
  const by = { broker: "kaas-1", incarnation: "process-1" };
  await writeNewFile(fileSystem, "/data/t/0/00000009.claim", encodeDocument("claim", { epoch: 9, ...by }), true);
  const from = { broker: "kaas-0", incarnation };
  expect(await inspection.fences()).toMatchObject({
    fenced: [{ ...from, fuse: "live", sinceMs: undefined }],
    takeovers: [{ kind: "partition", topic: "t", number: 0, from, takenEpoch: 9, by, isComplete: false }],
  });
  await writeNewFile(fileSystem, "/data/t/0/00000009.seal", Buffer.from("{}"), true);
  expect((await inspection.fences()).takeovers).toMatchObject([{ isComplete: true }]);
});

test("what was handed over in order fences nobody", async () => {
  const fileSystem = new LosingFileSystem();
  const first = await openTestVolume(fileSystem, { sharing: "shared", brokerName: "kaas-0" });
  await first.partition();
  await first.close();
  const second = await openTestVolume(fileSystem, { sharing: "shared", brokerName: "kaas-1" });
  await second.partition();
  const inspection = await inspect(fileSystem);
  expect(await inspection.fences()).toEqual({ fenced: [], takeovers: [], findings: [] });
  expect((await inspection.processes()).processes).toMatchObject([{ broker: "kaas-1", fuse: "live", claims: 1 }]);
});

test("a claim that cannot be read is found, and the others are looked at", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem, { sharing: "shared", brokerName: "kaas-0" });
  await volume.partition();
  const [claim] = (await fileSystem.list("/data/t/0")).filter(({ name }) => name.endsWith(".claim"));
  await volume.slotJournals.open("transactions", 0);
  fileSystem.garble(`/data/t/0/${claim?.name}`, () => Buffer.from("{"));
  const inspection = await inspect(fileSystem);
  for (const { findings } of [await inspection.processes(), await inspection.fences()]) {
    expect(findings).toMatchObject([{ code: "json-unreadable", file: `/data/t/0/${claim?.name}` }]);
  }
  expect((await inspection.processes()).processes).toMatchObject([{ claims: 1 }]);
});
