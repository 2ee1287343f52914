import { expect, test } from "vitest";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume } from "../testing/open-test-volume.js";

test("a cluster id is made once", async () => {
  const fileSystem = new LosingFileSystem();
  const { files } = await openTestVolume(fileSystem);
  expect(files.clusterId).toMatch(/^[A-Za-z0-9_-]{22}$/);
  expect((await openTestVolume(fileSystem.crashed())).files.clusterId).toBe(files.clusterId);
  const both = new LosingFileSystem();
  const [one, other] = await Promise.all([openTestVolume(both), openTestVolume(both)]);
  expect(one.files.clusterId).toBe(other.files.clusterId);
});

test("producer ids are never given out twice, whoever claims them and whenever it dies", async () => {
  let fileSystem = new LosingFileSystem();
  const given = new Set<number>();
  for (let steps = 0; steps < 25; steps++) {
    const volumes = await Promise.all([openTestVolume(fileSystem), openTestVolume(fileSystem)]);
    let left = steps;
    fileSystem.before = () => {
      if (left-- <= 0) throw Object.assign(new Error("the process is dead"), { code: "EIO" });
    };
    for (const block of await Promise.allSettled(volumes.map(({ files }) => files.claimProducerIds()))) {
      if (block.status === "rejected") continue;
      for (let id = block.value.first; id < block.value.first + block.value.count; id++) {
        expect(given.has(id)).toBe(false);
        given.add(id);
      }
    }
    fileSystem.before = () => undefined;
    fileSystem = fileSystem.crashed();
  }
  expect(given.size).toBeGreaterThan(2_000);
});

test("documents are kept whole", async () => {
  const fileSystem = new LosingFileSystem();
  const { files } = await openTestVolume(fileSystem);
  expect(await files.readDocument("broker-configs")).toBeUndefined();
  await files.writeDocument("broker-configs", { a: [1, null, "x"] });
  await files.writeDocument("group-configs", "g");
  for (let steps = 0; steps < 12; steps++) {
    let left = steps;
    fileSystem.before = () => {
      if (left-- <= 0) throw Object.assign(new Error("the process is dead"), { code: "EIO" });
    };
    await files.writeDocument("broker-configs", { steps }).catch(() => undefined);
    fileSystem.before = () => undefined;
    const after = await openTestVolume(fileSystem.crashed());
    expect([{ a: [1, null, "x"] }, ...Array.from({ length: steps + 1 }, (_, n) => ({ steps: n }))]).toContainEqual(
      await after.files.readDocument("broker-configs"),
    );
    expect(await after.files.readDocument("group-configs")).toBe("g");
  }
});

test("a file of another format, and one that is no JSON, are named", async () => {
  for (const [content, reason] of [
    ['{"format":7,"clusterId":"x"}', "its format is 7, this version of kaas reads formats 1, 2 and 3"],
    ["{", "it is not JSON"],
    ['{"format":1,"clusterId":"short","slotCount":50}', "clusterId: "],
    ["[]", "it has no format"],
  ] as const) {
    const fileSystem = new LosingFileSystem();
    await openTestVolume(fileSystem);
    fileSystem.garble("/data/__cluster/cluster.json", () => Buffer.from(content));
    await expect(openTestVolume(fileSystem)).rejects.toMatchObject({
      code: "KAAS_VOLUME_INVALID",
      message: expect.stringContaining(`/data/__cluster/cluster.json is not usable: ${reason}`),
    });
  }
});

test("a cluster whose document is gone gets no other id", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  const { clusterId } = volume.files;
  await volume.files.claimProducerIds();
  await volume.close();
  const content = await fileSystem.readFile("/data/__cluster/cluster.json");
  await fileSystem.unlink("/data/__cluster/cluster.json");
  await expect(openTestVolume(fileSystem)).rejects.toMatchObject({
    code: "KAAS_VOLUME_INVALID",
    message: "/data/__cluster/cluster.json is missing, and producer_ids is there: put it back from a backup",
  });
  const handle = await fileSystem.open("/data/__cluster/cluster.json", "create");
  await handle.writev([content], 0);
  await handle.close();
  expect((await openTestVolume(fileSystem)).files.clusterId).toBe(clusterId);
});
