import { expect, test } from "vitest";
import { VolumeInspection } from "../inspection/volume-inspection.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume } from "../testing/open-test-volume.js";
import { TestRandom } from "../testing/test-clock.js";
import { testHost } from "../testing/test-inspection-host.js";
import { writeNewFile } from "../documents/durable-files.js";
import { DrainWishes } from "./drain-wishes.js";

const CLUSTER = "/data/__cluster";

async function volume(): Promise<{ fileSystem: LosingFileSystem; wishes: DrainWishes; inspection: VolumeInspection }> {
  const fileSystem = new LosingFileSystem();
  await (await openTestVolume(fileSystem, { sharing: "shared", brokerName: "kaas-0" })).close();
  const wishes = new DrainWishes({ fileSystem, random: new TestRandom() }, CLUSTER);
  return {
    fileSystem,
    wishes,
    inspection: await VolumeInspection.open({ directory: "/data", fileSystem, host: testHost }),
  };
}

test("a wish is there until it is taken back, and is that of one broker", async () => {
  const { wishes, inspection } = await volume();
  expect(await wishes.isWished("kaas-1")).toBe(false);
  expect(await wishes.withdraw("kaas-1")).toBe(false);
  expect(await wishes.wish("kaas-1", 5)).toBe(true);
  expect(await wishes.wish("kaas-1", 6)).toBe(false);
  expect([await wishes.isWished("kaas-1"), await wishes.isWished("kaas-10")]).toEqual([true, false]);
  expect(await inspection.drains()).toMatchObject({ drains: [{ broker: "kaas-1", askedMs: 5 }], findings: [] });
  expect((await inspection.examine()).findings).toEqual([]);
  expect(await wishes.withdraw("kaas-1")).toBe(true);
  expect(await wishes.isWished("kaas-1")).toBe(false);
});

test("a name that leads out of the directory has no wish, and nothing is removed for it", async () => {
  const { fileSystem, wishes } = await volume();
  await wishes.wish("kaas-1", 5);
  expect(await wishes.withdraw("../cluster")).toBe(false);
  expect((await fileSystem.list(CLUSTER)).map(({ name }) => name)).toContain("cluster.json");
});

test("a wish is durable, and so is that it was taken back", async () => {
  const { fileSystem, wishes } = await volume();
  await wishes.wish("kaas-1", 5);
  const after = new DrainWishes({ fileSystem: fileSystem.crashed(() => 0), random: new TestRandom() }, CLUSTER);
  expect(await after.isWished("kaas-1")).toBe(true);
  await wishes.withdraw("kaas-1");
  const later = new DrainWishes({ fileSystem: fileSystem.crashed(() => 0), random: new TestRandom() }, CLUSTER);
  expect(await later.isWished("kaas-1")).toBe(false);
});

test("a wish that cannot be read counts, and is found as what else lies there", async () => {
  const { fileSystem, wishes, inspection } = await volume();
  await wishes.wish("kaas-1", 5);
  fileSystem.garble(`${CLUSTER}/drains/kaas-1.json`, () => Buffer.from("{"));
  for (const name of ["tmp-a", "note", ".nfs1"]) {
    await writeNewFile(fileSystem, `${CLUSTER}/drains/${name}`, Buffer.from("x"), true);
  }
  expect(await wishes.isWished("kaas-1")).toBe(true);
  expect((await inspection.drains()).drains).toMatchObject([{ broker: "kaas-1", askedMs: undefined }]);
  const { findings } = await inspection.examine();
  const found = findings.map(({ code, file }) => `${code} ${file.slice(CLUSTER.length)}`).sort();
  expect(found).toEqual([
    "json-unreadable /drains/kaas-1.json",
    "name-unknown /drains/note",
    "temporary-leftover /drains/tmp-a",
  ]);
});
