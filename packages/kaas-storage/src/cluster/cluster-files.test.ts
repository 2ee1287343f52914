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
  expect(await files.readDocument("broker-configs")).toEqual({ version: 0, content: undefined });
  expect(await files.writeDocument("broker-configs", 0, { a: [1, null, "x"] })).toBe(true);
  expect(await files.writeDocument("group-configs", 0, "g")).toBe(true);
  for (let steps = 0; steps < 12; steps++) {
    const { version } = await files.readDocument("broker-configs");
    let left = steps;
    fileSystem.before = () => {
      if (left-- <= 0) throw Object.assign(new Error("the process is dead"), { code: "EIO" });
    };
    await files.writeDocument("broker-configs", version, { steps }).catch(() => undefined);
    fileSystem.before = () => undefined;
    const after = await openTestVolume(fileSystem.crashed());
    expect([{ a: [1, null, "x"] }, ...Array.from({ length: steps + 1 }, (_, n) => ({ steps: n }))]).toContainEqual(
      (await after.files.readDocument("broker-configs")).content,
    );
    expect(await after.files.readDocument("group-configs")).toEqual({ version: 1, content: "g" });
  }
});

test("of brokers that replace the same version of a document one has done so, and the others are told", async () => {
  const fileSystem = new LosingFileSystem();
  const volumes = await Promise.all([1, 2, 3].map(() => openTestVolume(fileSystem)));
  for (let round = 0; round < 15; round++) {
    const written = await Promise.all(
      volumes.map(({ files }, by) => files.writeDocument("broker-configs", round, { round, by })),
    );
    expect(written.filter(Boolean)).toHaveLength(1);
    const told = await Promise.all(volumes.map(({ files }) => files.readDocument("broker-configs")));
    for (const one of told) expect(one).toEqual({ version: round + 1, content: { round, by: written.indexOf(true) } });
  }
  const names = (await fileSystem.list("/data/__cluster")).map(({ name }) => name);
  expect(names.filter((name) => name.startsWith("broker-configs"))).toHaveLength(10);
});

test("a document from before versions had numbers is the one that the first replaces", async () => {
  const fileSystem = new LosingFileSystem();
  const { files } = await openTestVolume(fileSystem);
  const handle = await fileSystem.open("/data/__cluster/broker-configs.json", "create");
  await handle.writev([Buffer.from('{"format":1,"content":{"old":1}}')], 0);
  await handle.close();
  expect(await files.readDocument("broker-configs")).toEqual({ version: 0, content: { old: 1 } });
  expect(await files.writeDocument("broker-configs", 0, { new: 1 })).toBe(true);
  expect(await files.readDocument("broker-configs")).toEqual({ version: 1, content: { new: 1 } });
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
