import { expect, test } from "vitest";
import { writeNewFile } from "../documents/durable-files.js";
import { Segment } from "../partition/segment.js";
import { readOffsetIndex, readTimeIndex } from "../partition/segment-indexes.js";
import { values } from "../testing/batches.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume } from "../testing/open-test-volume.js";
import { TestRandom } from "../testing/test-clock.js";
import { testHost } from "../testing/test-inspection-host.js";
import { finding } from "./finding.js";
import { viewPartition } from "./partition-view.js";
import { planRepair, repairVolume } from "./repair.js";
import { planSteps } from "./repair-plan.js";
import { VolumeInspection } from "./volume-inspection.js";

const inspect = (fileSystem: LosingFileSystem): Promise<VolumeInspection> =>
  VolumeInspection.open({ directory: "/data", fileSystem, host: testHost });

async function madeVolume(): Promise<LosingFileSystem> {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  const log = await volume.partition({ segmentBytes: 600, indexIntervalBytes: 1 });
  for (let n = 0; n < 40; n++) await log.append(values([`value ${n}`, "more"], {}, 1_700_000_000_000 + n), -1);
  await volume.close();
  return fileSystem;
}

test("an index that was made anew is one that a broker takes, and the same for who looks at it", async () => {
  const fileSystem = await madeVolume();
  const names = (await fileSystem.list("/data/t/0")).map(({ name }) => `/data/t/0/${name}`);
  const indexes = names.filter((name) => /\.(time)?index$/.test(name));
  for (const path of indexes) fileSystem.garble(path, (content) => Buffer.from(content.map((byte) => byte ^ 0xff)));
  const inspection = await inspect(fileSystem);
  const { steps } = await planRepair(inspection);
  expect(steps.map(({ action, file }) => `${action} ${file}`).sort()).toEqual(
    indexes.map((path) => `rebuild ${path}`).sort(),
  );
  expect(await repairVolume(inspection, new TestRandom())).toMatchObject({ blockers: [] });
  expect((await inspection.examine()).findings).toEqual([]);
  const partition = await viewPartition(inspection.view, "/data/t/0");
  for (const record of partition?.state?.segments ?? []) {
    const segment = Segment.of("/data/t/0", record);
    expect((await readOffsetIndex(fileSystem, segment))?.count).toBe(record.indexEntries);
    expect((await readTimeIndex(fileSystem, segment))?.count).toBe(record.timeIndexEntries);
  }
});

test("a step that fails says so, and the others are done", async () => {
  const fileSystem = await madeVolume();
  for (const name of ["tmp-a", "tmp-b"]) await writeNewFile(fileSystem, `/data/t/0/${name}`, Buffer.alloc(0), true);
  fileSystem.before = (operation, path) => {
    if (operation === "unlink" && path.endsWith("tmp-a"))
      throw Object.assign(new Error("EIO: broken"), { code: "EIO" });
  };
  const inspection = await inspect(fileSystem);
  const { steps } = await repairVolume(inspection, new TestRandom());
  expect(steps).toMatchObject([{ file: "/data/t/0/tmp-a", failure: "EIO: broken" }, { file: "/data/t/0/tmp-b" }]);
  expect(steps[1]).not.toHaveProperty("failure");
  expect((await planRepair(inspection)).steps).toHaveLength(1);
});

test("a broker that shares the volume is not disturbed", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem, { sharing: "shared", brokerName: "kaas-3" });
  const inspection = await inspect(fileSystem);
  await expect(repairVolume(inspection, new TestRandom())).rejects.toMatchObject({
    code: "KAAS_VOLUME_LOCKED",
    message: expect.stringContaining("broker kaas-3 shares the volume"),
  });
  await volume.close();
  expect(await repairVolume(inspection, new TestRandom())).toEqual({ steps: [], blockers: [] });
});

test("a broker that crashed is named by an operator: its fuse is blown, and the volume repaired", async () => {
  const fileSystem = new LosingFileSystem();
  const crashed = await openTestVolume(fileSystem, { sharing: "shared", brokerName: "kaas-3" });
  const log = await crashed.partition();
  await log.append(values(["before"]), -1);
  await writeNewFile(fileSystem, "/data/t/0/tmp-left", Buffer.alloc(0), true);
  const inspection = await inspect(fileSystem);
  const options = { gone: ["kaas-3"] };
  const unknown = { gone: ["kaas-3", "kaas-4"] };
  for (const work of [planRepair(inspection, unknown), repairVolume(inspection, new TestRandom(), unknown)]) {
    await expect(work).rejects.toMatchObject({ message: expect.stringContaining("no broker kaas-4") });
  }
  const fuse = expect.stringMatching(/^\/data\/__cluster\/brokers\/kaas-3\/.*\.fuse$/);
  const expected = [
    { action: "blow", file: fuse, reason: expect.stringContaining("kaas-3 has led since 20") },
    { action: "remove", file: "/data/t/0/tmp-left" },
  ];
  expect((await planRepair(inspection, options)).steps).toMatchObject(expected);
  expect((await inspection.users()).brokers).toMatchObject([{ broker: "kaas-3", fuse: "live" }]);
  expect((await repairVolume(inspection, new TestRandom(), options)).steps).toMatchObject(expected);
  expect((await inspection.users()).brokers).toMatchObject([{ broker: "kaas-3", fuse: "blown" }]);
  // It runs after all: from now on it acknowledges nothing, and nobody is in the way of anybody.
  expect((await log.append(values(["after"]), -1)).errorCode).not.toBe(0);
  await expect(crashed.fenced).resolves.toMatchObject({ code: "KAAS_FENCED" });
  expect((await repairVolume(inspection, new TestRandom())).steps).toEqual([]);
});

test("repair stops when a broker that was said to be gone comes back", async () => {
  const fileSystem = new LosingFileSystem();
  const options = { sharing: "shared", brokerName: "kaas-3" } as const;
  const crashed = await openTestVolume(fileSystem, options);
  await crashed.partition();
  for (const name of ["tmp-a", "tmp-b"]) await writeNewFile(fileSystem, `/data/t/0/${name}`, Buffer.alloc(0), true);
  const inspection = await inspect(fileSystem);
  const unlink = fileSystem.unlink.bind(fileSystem);
  fileSystem.unlink = async (path) => {
    await unlink(path);
    if (path.endsWith("tmp-a")) await openTestVolume(fileSystem, options);
  };
  const repairing = repairVolume(inspection, new TestRandom(), { gone: ["kaas-3"] });
  await expect(repairing).rejects.toMatchObject({ code: "KAAS_VOLUME_LOCKED" });
  expect((await fileSystem.list("/data/t/0")).map(({ name }) => name)).toContain("tmp-b");
});

test("beside what a person has to look at, nothing is taken away", () => {
  const lost = finding("segment-missing", "/v/t/0/1.log", "gone");
  const beside = finding("temporary-leftover", "/v/t/0/tmp-1", "left");
  const elsewhere = finding("temporary-leftover", "/v/t/1/tmp-1", "left");
  const aside = finding("deleting-leftover", "/v/.deleting-t-1", "left");
  const { steps, blockers } = planSteps([lost, beside, elsewhere, aside]);
  expect(steps.map(({ file }) => file)).toEqual(["/v/t/1/tmp-1", "/v/.deleting-t-1"]);
  expect(blockers).toEqual(["/v/t/0/1.log: gone"]);
});
