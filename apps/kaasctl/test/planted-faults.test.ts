import { cpSync } from "node:fs";
import { join } from "node:path";
import { findingCatalogue } from "@kaas/storage";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeVolume, temporaryDirectory } from "./disk-volume.js";
import { faults } from "./plant-faults.js";
import { runKaasctl } from "./spawn-kaasctl.js";

const folder = temporaryDirectory();
const pristine = join(folder.path, "pristine");

beforeAll(() => makeVolume(pristine), 60_000);
afterAll(() => folder.remove());

test("before anything is planted there is nothing but what compaction has just replaced", async () => {
  const { code, stdout } = await runKaasctl(["doctor", "--data-dir", pristine, "-o", "json"]);
  const { findings } = JSON.parse(stdout) as { findings: { code: string; file: string }[] };
  expect(findings.filter((one) => one.code !== "segment-obsolete" || !one.file.includes("/users/0/"))).toEqual([]);
  expect(code).toBe(0);
});

test.for(Object.entries(faults))("%s", { concurrent: false }, async ([name, plant]) => {
  const volume = join(folder.path, name.replaceAll(/\W/g, "-"));
  cpSync(pristine, volume, { recursive: true, preserveTimestamps: true });
  const { code, file } = plant(volume);
  const run = await runKaasctl(["doctor", "--data-dir", volume, "-o", "json"]);
  const report = JSON.parse(run.stdout) as { findings: { code: string; file: string }[]; isSound: boolean };
  expect(report.findings.map((one) => `${one.code} ${one.file}`)).toContain(`${code} ${file}`);
  const isNote = findingCatalogue[code].severity === "note";
  expect([run.code, report.isSound]).toEqual(isNote ? [0, true] : [1, false]);
  expect(run.stderr).toBe("");
});
