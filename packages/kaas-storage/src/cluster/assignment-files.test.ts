import type { Assignment } from "@kaas/core";
import { beforeEach, expect, test } from "vitest";
import { testAssignment, testAssignmentFiles } from "../testing/assignments.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume } from "../testing/open-test-volume.js";
import type { AssignmentFiles } from "./assignment-files.js";

const DIRECTORY = "/data/__cluster/assignments";
let fileSystem: LosingFileSystem;
let files: AssignmentFiles;

beforeEach(async () => {
  fileSystem = new LosingFileSystem();
  await openTestVolume(fileSystem, { sharing: "shared", brokerName: "kaas-0" });
  files = testAssignmentFiles(fileSystem);
});

async function publish(from: AssignmentFiles, changes: Partial<Assignment>): Promise<void> {
  await from.publish(testAssignment(changes));
  await from.close();
}

async function names(): Promise<string[]> {
  return (await fileSystem.list(DIRECTORY)).map(({ name }) => name).sort();
}

test("on a new volume there is none", async () => {
  expect(await files.newest()).toBeUndefined();
});

test("what was published is what is read, by whoever looks, whatever crashes after", async () => {
  expect(await files.claimEpoch(0)).toBe(0);
  const published = testAssignment({
    topics: [
      {
        topicId: "AAAAAAAAAAAAAAAAAAAAAQ",
        name: "t",
        leaders: [1],
        leaderEpochs: [4],
        wishes: [{ partition: 0, brokers: [1, 0] }],
      },
    ],
  });
  await files.publish(published);
  expect(await testAssignmentFiles(fileSystem.crashed(), "kaas-1").newest()).toEqual({ ...published });
  await files.close();
  expect(JSON.parse(String(await fileSystem.readFile("/data/__cluster/assignment.json")))).toEqual({
    format: 1,
    ...published,
  });
});

test("an epoch is that of the lease, or one above the highest on the volume", async () => {
  const other = testAssignmentFiles(fileSystem, "kaas-1");
  expect(await files.claimEpoch(7)).toBe(7);
  expect(await other.claimEpoch(3)).toBe(8);
  await publish(other, { controllerEpoch: 8 });
  await fileSystem.unlink(`${DIRECTORY}/0000000008.claim`);
  expect(await files.claimEpoch(8)).toBe(9);
});

test("of those who claim at once each gets an epoch of its own", async () => {
  const claims = await Promise.all([0, 1, 2, 3].map((n) => testAssignmentFiles(fileSystem, `kaas-${n}`).claimEpoch(2)));
  expect([...claims].sort()).toEqual([2, 3, 4, 5]);
  expect(JSON.parse(String(await fileSystem.readFile(`${DIRECTORY}/0000000002.claim`)))).toMatchObject({
    format: 1,
    epoch: 2,
    broker: `kaas-${claims.indexOf(2)}`,
  });
});

test("one process that claims twice in the same millisecond gets two epochs", async () => {
  expect(await Promise.all([files.claimEpoch(2), files.claimEpoch(2)])).toEqual([2, 3]);
});

test("one whose epoch is over publishes nothing", async () => {
  await files.claimEpoch(1);
  await publish(files, { controllerEpoch: 1 });
  await testAssignmentFiles(fileSystem, "kaas-1").claimEpoch(1);
  await expect(files.publish(testAssignment({ controllerEpoch: 1, version: 2 }))).rejects.toMatchObject({
    code: "KAAS_FENCED",
    message: "controller epoch 1 is over: epoch 2 has been claimed",
  });
  expect(await files.newest()).toMatchObject({ controllerEpoch: 1, version: 1 });
});

test("a version is never written over; a repeated answer to the same one is no failure", async () => {
  await files.claimEpoch(0);
  await publish(files, {});
  await publish(files, {});
  await expect(files.publish(testAssignment({ controllerId: 1 }))).rejects.toMatchObject({
    code: "KAAS_STORAGE_FAILED",
  });
  expect((await files.newest())?.controllerId).toBe(0);
});

test("only what is newer than what is known is read", async () => {
  await files.claimEpoch(0);
  await publish(files, { version: 9 });
  await publish(files, { version: 10 });
  expect(await files.newer({ controllerEpoch: 0, version: 9 })).toMatchObject({ version: 10 });
  fileSystem.garble(`${DIRECTORY}/0000000000-0000000010.json`, () => Buffer.from("{"));
  expect(await files.newer({ controllerEpoch: 0, version: 10 })).toBeUndefined();
  expect(await files.newer({ controllerEpoch: 1, version: 0 })).toBeUndefined();
});

test.each([
  ["{", "it is not JSON"],
  ['{"format":4}', "its format is 4, this version of kaas reads formats 1, 2 and 3"],
  ['{"format":1}', "controllerEpoch: Invalid input"],
  [
    JSON.stringify({ format: 1, ...testAssignment({ version: 2 }) }),
    "it says that it is version 2 of controller epoch 0",
  ],
  [
    JSON.stringify({
      format: 1,
      ...testAssignment({ topics: [{ topicId: "A".repeat(22), name: "t", leaders: [1], leaderEpochs: [] }] }),
    }),
    "topics.0: it has not as many epochs as leaders",
  ],
])("one that is not usable is named: %s", async (content, reason) => {
  await files.claimEpoch(0);
  await publish(files, {});
  fileSystem.garble(`${DIRECTORY}/0000000000-0000000001.json`, () => Buffer.from(content));
  await expect(files.newest()).rejects.toMatchObject({
    code: "KAAS_VOLUME_INVALID",
    message: expect.stringContaining(`${DIRECTORY}/0000000000-0000000001.json is not usable: ${reason}`),
  });
});

test("a controller begins with what was decided before one that is not usable, and publishes beyond it", async () => {
  await files.claimEpoch(0);
  for (const version of [1, 2, 3]) await publish(files, { version });
  for (const version of [2, 3])
    fileSystem.garble(`${DIRECTORY}/0000000000-000000000${version}.json`, () => Buffer.from("{"));
  const next = testAssignmentFiles(fileSystem, "kaas-1");
  const epoch = await next.claimEpoch(0);
  expect(await next.newest()).toMatchObject({ controllerEpoch: 0, version: 1 });
  await publish(next, { controllerEpoch: epoch });
  expect(await files.newest()).toMatchObject({ controllerEpoch: epoch, version: 1 });
});

test("a volume that cannot be read is no assignment that is not usable", async () => {
  await files.claimEpoch(0);
  for (const version of [1, 2]) await publish(files, { version });
  fileSystem.readFile = () => Promise.reject(Object.assign(new Error("the disk is gone"), { code: "EIO" }));
  await expect(files.newest()).rejects.toThrow("the disk is gone");
});

test("names of others are left alone, and do not count", async () => {
  await files.claimEpoch(0);
  await publish(files, {});
  for (const name of [".nfs0001", "tmp-abc", "0000000009-0000000001.json.bak", "00000009-0000000001.json"]) {
    const handle = await fileSystem.open(`${DIRECTORY}/${name}`, "create");
    await handle.close();
  }
  expect(await files.newest()).toMatchObject({ controllerEpoch: 0, version: 1 });
  expect(await files.claimEpoch(0)).toBe(1);
});

test("the newest few stay; of a later controller nothing is removed", async () => {
  await files.claimEpoch(0);
  for (let version = 1; version <= 15; version++) await publish(files, { version });
  expect(await names()).toEqual([
    ...Array.from({ length: 10 }, (_, n) => `0000000000-${String(n + 6).padStart(10, "0")}.json`),
    "0000000000.claim",
  ]);
  const next = testAssignmentFiles(fileSystem, "kaas-1");
  for (let epoch = 1; epoch <= 12; epoch++) await next.claimEpoch(0);
  await publish(next, { controllerEpoch: 12 });
  const left = await names();
  expect(left.filter((name) => name.endsWith(".claim"))).toHaveLength(10);
  expect(left.filter((name) => name.endsWith(".json"))).toHaveLength(10);
  expect(left).toContain("0000000012.claim");
});

test("an assignment that is removed between listing and reading is looked for again", async () => {
  await files.claimEpoch(0);
  await publish(files, { version: 1 });
  const read = fileSystem.readFile.bind(fileSystem);
  let isFirst = true;
  fileSystem.readFile = async (path) => {
    if (isFirst && path.endsWith("-0000000001.json")) {
      isFirst = false;
      await publish(files, { version: 2 });
      await fileSystem.unlink(path);
    }
    return read(path);
  };
  expect(await testAssignmentFiles(fileSystem, "kaas-1").newest()).toMatchObject({ version: 2 });
});

test("whenever a controller dies, what is newest never goes back", async () => {
  let newest = -1;
  for (let steps = 0; steps < 60; steps++) {
    const controller = testAssignmentFiles(fileSystem);
    const epoch = await controller.claimEpoch(0);
    let left = steps % 30;
    fileSystem.before = () => {
      if (left-- <= 0) throw Object.assign(new Error("the process is dead"), { code: "EIO" });
    };
    let published = -1;
    for (let version = 1; version <= 3; version++) {
      await publish(controller, { controllerEpoch: epoch, version }).then(
        () => (published = epoch * 10 + version),
        () => undefined,
      );
    }
    fileSystem.before = () => undefined;
    fileSystem = fileSystem.crashed();
    const found = await testAssignmentFiles(fileSystem).newest();
    const number = found === undefined ? -1 : found.controllerEpoch * 10 + found.version;
    expect(number).toBeGreaterThanOrEqual(Math.max(newest, published));
    newest = number;
  }
  expect(newest).toBeGreaterThan(500);
});
