import { expect, test } from "vitest";
import { values } from "../testing/batches.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume } from "../testing/open-test-volume.js";
import { testHost } from "../testing/test-inspection-host.js";
import { VolumeInspection } from "./volume-inspection.js";

async function inspect(fileSystem: LosingFileSystem): Promise<VolumeInspection> {
  return VolumeInspection.open({ directory: "/data", fileSystem, host: testHost });
}

test("a volume that was closed in order has nothing to tell", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  const log = await volume.partition({ segmentBytes: 300 });
  for (let n = 0; n < 10; n++) await log.append(values([`value ${n}`]), -1);
  await volume.close();
  const inspection = await inspect(fileSystem);
  expect(await inspection.examine()).toMatchObject({
    findings: [],
    isSound: true,
    partitions: 1,
    batches: 10,
    records: 10,
  });
});

test("a volume whose process was killed is sound", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  const log = await volume.partition({ segmentBytes: 300 });
  for (let n = 0; n < 10; n++) await log.append(values([`value ${n}`]), -1);
  const inspection = await inspect(fileSystem.killed());
  expect(await inspection.examine()).toMatchObject({ isSound: true, batches: 10 });
});
