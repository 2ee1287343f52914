import { TestRandom } from "../testing/test-clock.js";
import { expect, test } from "vitest";
import { testAssignment, testAssignmentFiles } from "../testing/assignments.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume } from "../testing/open-test-volume.js";
import { testHost } from "../testing/test-inspection-host.js";
import { repairVolume } from "./repair.js";
import { VolumeInspection } from "./volume-inspection.js";

const DIRECTORY = "/data/__cluster/assignments";

async function clusterVolume(): Promise<LosingFileSystem> {
  const fileSystem = new LosingFileSystem();
  await (await openTestVolume(fileSystem, { sharing: "shared", brokerName: "kaas-0" })).close();
  const files = testAssignmentFiles(fileSystem);
  await files.claimEpoch(0);
  for (const version of [9, 10]) await files.publish(testAssignment({ version }));
  await files.close();
  return fileSystem;
}

function inspect(fileSystem: LosingFileSystem): Promise<VolumeInspection> {
  return VolumeInspection.open({ directory: "/data", fileSystem, host: testHost });
}

async function write(fileSystem: LosingFileSystem, path: string, content = "x"): Promise<void> {
  const handle = await fileSystem.open(path, "create");
  await handle.writev([Buffer.from(content)], 0);
  await handle.close();
}

test("assignments and claims are files of the cluster, in which there is nothing to find", async () => {
  const inspection = await inspect(await clusterVolume());
  expect((await inspection.examine()).findings).toEqual([]);
  const { assignments, claims } = await inspection.assignments();
  expect(assignments.map(({ assignment }) => assignment.version)).toEqual([9, 10]);
  expect(claims).toMatchObject([{ epoch: 0, broker: "kaas-0" }]);
});

test("brokers are those of the newest assignment, with what they lead and their fuses", async () => {
  const fileSystem = await clusterVolume();
  await write(fileSystem, "/data/__cluster/brokers/kaas-0/incarnation-0.fuse", "BLOWN");
  expect(await (await inspect(fileSystem)).brokers()).toMatchObject([
    { nodeId: 0, isController: true, partitions: 1, groupSlots: 1, transactionSlots: 1, fuse: "blown" },
    { nodeId: 1, isController: false, partitions: 1, fuse: "gone" },
  ]);
  const single = new LosingFileSystem();
  await openTestVolume(single);
  expect(await (await inspect(single)).brokers()).toEqual([]);
});

test.each([
  ["0000000000-0000000010.json", "{", "json-unreadable"],
  ["0000000000-0000000010.json", '{"format":9}', "format-unknown"],
  ["0000000000-0000000010.json", '{"format":1}', "document-invalid"],
  ["0000000000-0000000010.json", JSON.stringify({ format: 1, ...testAssignment({ version: 3 }) }), "document-invalid"],
  ["0000000000.claim", "{}", "document-invalid"],
])("%s that holds %s is found", async (name, content, code) => {
  const fileSystem = await clusterVolume();
  fileSystem.garble(`${DIRECTORY}/${name}`, () => Buffer.from(content));
  const { findings, isSound } = await (await inspect(fileSystem)).examine();
  expect(isSound).toBe(false);
  expect(findings).toContainEqual(expect.objectContaining({ code, file: `${DIRECTORY}/${name}` }));
});

test("what does not belong there, what was never finished and a bad copy are notes", async () => {
  const fileSystem = await clusterVolume();
  await write(fileSystem, `${DIRECTORY}/notes.txt`);
  await write(fileSystem, `${DIRECTORY}/.nfs0001`);
  await write(fileSystem, `${DIRECTORY}/tmp-abc`);
  fileSystem.garble("/data/__cluster/assignment.json", () => Buffer.from("{"));
  const inspection = await inspect(fileSystem);
  const { findings, isSound } = await inspection.examine();
  expect(isSound).toBe(true);
  expect(findings.map(({ code, file }) => [code, file])).toEqual([
    ["copy-outdated", "/data/__cluster/assignment.json"],
    ["name-unknown", `${DIRECTORY}/notes.txt`],
    ["temporary-leftover", `${DIRECTORY}/tmp-abc`],
  ]);
  const { steps } = await repairVolume(inspection, new TestRandom(7));
  expect(steps.every(({ failure }) => failure === undefined)).toBe(true);
  expect((await inspection.examine()).findings.map(({ code }) => code)).toEqual(["name-unknown"]);
});

test("a copy of nothing is nothing to worry about", async () => {
  const fileSystem = await clusterVolume();
  for (const version of ["09", "10"]) await fileSystem.unlink(`${DIRECTORY}/0000000000-00000000${version}.json`);
  expect((await (await inspect(fileSystem)).examine()).findings).toEqual([]);
  fileSystem.garble("/data/__cluster/assignment.json", () => Buffer.from("{"));
  expect((await (await inspect(fileSystem)).examine()).findings).toMatchObject([{ code: "hint-unreadable" }]);
});
