import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeVolume, openDiskVolume } from "../test/disk-volume.js";
import { faults } from "../test/plant-faults.js";
import { testSurroundings } from "../test/test-surroundings.js";
import { manuals } from "./manuals.js";
import { runKaasctl } from "./run.js";

let folder: string;
let volume: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kaasctl-run-"));
  volume = join(folder, "volume");
  await makeVolume(volume);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(...args: string[]): Promise<{ code: number; text: string; errors: string }> {
  const { surroundings, text, errors } = testSurroundings({ environment: { KAAS_DATA_DIR: volume } });
  const code = await runKaasctl(args, surroundings);
  return { code, text: text(), errors: errors() };
}

test("every command has a manual with an example, and help that shows it", async () => {
  for (const [name, { examples }] of Object.entries(manuals)) {
    const { code, text } = await run(...name.replace("kaasctl", "").split(" ").filter(Boolean), "--help");
    expect(code).toBe(0);
    expect(examples.length).toBeGreaterThan(0);
    expect(text).toContain("Exit status: 0 all is well");
  }
});

test.for([
  ["volume", "info"],
  ["topic", "ls"],
  ["topic", "describe", "payments"],
  ["log", "dump", "payments", "0", "--decode"],
  ["log", "verify", "orders"],
  ["offsets", "show", "writers"],
  ["slots"],
  ["producer-ids"],
  ["doctor"],
  ["repair"],
])("kaasctl %s, in every format", async (args) => {
  for (const format of ["table", "json", "yaml"]) {
    const { code, text, errors } = await run(...args, "-o", format);
    expect([code, errors]).toEqual([0, ""]);
    expect(text).not.toBe("");
  }
});

test("an error of the volume is 1, of the caller 2, each on standard error alone", async () => {
  expect(await run("topic", "describe", "none")).toMatchObject({ code: 2, text: "" });
  const broken = join(folder, "broken");
  await makeVolume(broken);
  const { file } = faults["a damaged line in the middle of a slot's journal"]?.(broken) ?? { file: "" };
  const group = file.includes("slot-16") ? "readers" : "writers";
  const { code, errors } = await run("offsets", "show", group, "--data-dir", broken);
  expect([code, errors]).toEqual([1, expect.stringContaining(`kaasctl: ${file}: it is damaged at byte`)]);
  const slots = await run("slots", "--data-dir", broken);
  expect([slots.code, slots.text]).toEqual([1, expect.stringContaining(`error ${file}`)]);
});

test("findings of producer ids and of topics are shown where they belong", async () => {
  const overlapping = join(folder, "overlapping");
  await makeVolume(overlapping);
  const { file } = faults["an overlapping block of producer ids"]?.(overlapping) ?? { file: "" };
  const ids = await run("producer-ids", "--data-dir", overlapping);
  expect([ids.code, ids.text]).toEqual([1, expect.stringContaining(`error ${file}`)]);
});

test("completions come from the words so far and the volume", async () => {
  const complete = async (...words: string[]): Promise<string> =>
    (await run("--get-yargs-completions", "kaasctl", ...words)).text;
  expect(await complete("topic", "describe", "p")).toBe("payments\n");
  expect(await complete("log", "verify", "orders", "")).toBe("0\n1\n");
  expect(await complete("-o", "json", "repair", "--")).toBe(
    "--apply\n--broker-is-gone\n--data-dir\n--cluster-dir\n--bootstrap-server\n--command-config\n--output\n--help\n",
  );
  expect(await complete("offsets", "show", "readers", "")).toBe("");
});

test("repair does what it says, every kind of step, and doctor is content after it", async () => {
  const broken = join(folder, "to-repair");
  await makeVolume(broken);
  for (const name of [
    "an offset index corrupted",
    "a time index corrupted",
    "an index of aborted transactions deleted",
    "a copy that is out of date",
    "a file that was never finished",
    "a deleted topic that was not removed",
  ]) {
    faults[name]?.(broken);
  }
  const dry = await run("repair", "--data-dir", broken);
  expect([dry.code, dry.text]).toEqual([0, expect.stringContaining("nothing has been changed")]);
  const applied = await run("repair", "--apply", "--data-dir", broken, "-o", "json");
  expect([applied.code, JSON.parse(applied.text)]).toEqual([
    0,
    { applied: true, steps: expect.any(Array), blockers: [] },
  ]);
  expect(await run("doctor", "--data-dir", broken)).toMatchObject({
    code: 0,
    text: expect.stringMatching(/: sound; /),
  });
  expect((await run("repair", "--data-dir", broken)).text).toBe("nothing to repair\n");
});

test("what cannot be repaired is left alone and said, and a dump says where it is", async () => {
  const broken = join(folder, "damaged");
  await makeVolume(broken);
  const length = faults["a length field that says nonsense"]?.(broken) ?? { file: "" };
  const missing = faults["a sealed segment deleted"]?.(broken) ?? { file: "" };
  const { code, text } = await run("repair", "--apply", "--data-dir", broken);
  expect([code, text]).toEqual([1, expect.stringContaining(`left alone ${length.file}: `)]);
  for (const format of ["table", "json"]) {
    const dumped = await run("log", "dump", "orders", "0", "--data-dir", broken, "-o", format);
    expect(dumped.code).toBe(1);
    for (const file of [length.file, missing.file]) expect(dumped.text).toContain(file);
  }
});

test("what a broker has in use is shown, and not repaired", async () => {
  const used = join(folder, "used");
  await makeVolume(used);
  const user = await openDiskVolume(used);
  try {
    const { code, errors } = await run("repair", "--apply", "--data-dir", used);
    expect([code, errors]).toEqual([2, expect.stringContaining("is in use by process")]);
    expect((await run("volume", "info", "--data-dir", used)).text).toMatch(
      /in use by +process \d+ on [\s\S]*kaas-0 .* live/,
    );
    expect((await run("doctor", "--data-dir", used)).code).toBe(0);
  } finally {
    await user.close();
  }
});
