import { cpSync } from "node:fs";
import { join } from "node:path";
import { findingCatalogue } from "@kaas/storage";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runKaasctl as run } from "../src/run.js";
import { makeVolume, temporaryDirectory } from "./disk-volume.js";
import { faults } from "./plant-faults.js";
import { runKaasctl } from "./spawn-kaasctl.js";
import { testSurroundings } from "./test-surroundings.js";

/** Of these the built command is asked as well, as a person would. */
const ASKED_BY_A_PERSON = [
  "a flipped byte in the middle of a log",
  "a segment cut below its sealed length",
  "a sealed segment deleted",
  "an offset index corrupted",
  "a seal that is no JSON",
  "a newer format of the cluster's document",
  "a damaged line in the middle of a slot's journal",
  "an overlapping block of producer ids",
  "a topic without an id",
  "a partition directory beyond the partition count",
  "a segment that no document names",
];

const folder = temporaryDirectory();
const pristine = join(folder.path, "pristine");

beforeAll(() => makeVolume(pristine), 60_000);
afterAll(() => folder.remove());

interface Report {
  readonly findings: readonly { readonly code: string; readonly file: string }[];
  readonly isSound: boolean;
}

async function doctor(volume: string): Promise<{ readonly code: number; readonly report: Report }> {
  const { surroundings, text } = testSurroundings();
  const code = await run(["doctor", "--data-dir", volume, "-o", "json"], surroundings);
  return { code, report: JSON.parse(text()) as Report };
}

/** A copy of the volume, damaged. */
function damaged(
  name: string,
  copy = "",
): { readonly volume: string; readonly planted: ReturnType<(typeof faults)[string]> } {
  const volume = join(folder.path, `${name.replaceAll(/\W/g, "-")}${copy}`);
  cpSync(pristine, volume, { recursive: true, preserveTimestamps: true });
  const plant = faults[name];
  if (plant === undefined) throw new Error(`there is no fault called ${name}`);
  return { volume, planted: plant(volume) };
}

test("before anything is planted there is nothing but what compaction has just replaced", async () => {
  const { code, report } = await doctor(pristine);
  expect(report.findings.filter((one) => one.code !== "segment-obsolete" || !one.file.includes("/users/0/"))).toEqual(
    [],
  );
  expect(code).toBe(0);
});

test.for(Object.keys(faults))("%s", async (name) => {
  const { volume, planted } = damaged(name);
  const { code, report } = await doctor(volume);
  expect(report.findings.map((one) => `${one.code} ${one.file}`)).toContain(`${planted.code} ${planted.file}`);
  const isNote = findingCatalogue[planted.code].severity === "note";
  expect([code, report.isSound]).toEqual(isNote ? [0, true] : [1, false]);
});

test.for(ASKED_BY_A_PERSON)("%s, from the command line", async (name) => {
  const { volume, planted } = damaged(name, "-again");
  const { stdout, stderr, code } = await runKaasctl(["doctor", "--data-dir", volume]);
  const { severity, meaning, advice } = findingCatalogue[planted.code];
  expect(stdout).toContain(`${severity} ${planted.file}\n`);
  expect(stdout).toContain(`    ${meaning}\n    → ${advice}`);
  expect(stdout).toMatch(severity === "note" ? /: sound \(/ : /: not sound \(/);
  expect([code, stderr]).toEqual([severity === "note" ? 0 : 1, ""]);
});
