import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openVolume } from "@kaas/storage";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryDirectory } from "../test/disk-volume.js";
import { testSurroundings } from "../test/test-surroundings.js";
import { runKaasctl } from "./run.js";

const folder = temporaryDirectory();
const data = join(folder.path, "data");
const cluster = join(folder.path, "cluster");
const both = { KAAS_DATA_DIR: data, KAAS_CLUSTER_DIR: cluster };

beforeAll(async () => {
  mkdirSync(data);
  const shared = { sharing: "shared", brokerName: "kaas-0" } as const;
  const volume = await openVolume({ directory: data, clusterDirectory: cluster, ...shared });
  await volume.topics.create("orders", 1, {});
  await volume.close();
}, 120_000);

afterAll(() => folder.remove());

async function run(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<[number, string, string]> {
  const { surroundings, text, errors } = testSurroundings({ environment });
  const code = await runKaasctl(args, surroundings);
  return [code, text(), errors()];
}

test("the cluster's files may be on a volume of their own", async () => {
  const [, sound] = await run(["doctor", "-o", "json"], both);
  expect(JSON.parse(sound)).toMatchObject({ isSound: true });
  const [code, text] = await run(["topic", "ls", "--data-dir", data, "--cluster-dir", cluster]);
  expect([code, text]).toEqual([0, expect.stringContaining("orders")]);
  expect(await run(["--get-yargs-completions", "kaasctl", "topic", "describe", "o"], both)).toEqual([
    0,
    "orders\n",
    "",
  ]);
  const words = ["kaasctl", `--data-dir=${data}`, "--cluster-dir", cluster, "topic", "describe", ""];
  expect(await run(["--get-yargs-completions", ...words])).toEqual([0, "orders\n", ""]);
});

test("KAAS_CLUSTER_DIR is that of KAAS_DATA_DIR, not of a directory that is named", async () => {
  expect(await run(["topic", "ls", "--data-dir", data], both)).toEqual([
    2,
    "",
    expect.stringContaining("is no kaas volume"),
  ]);
  const nowhere = join(folder.path, "nowhere");
  expect(await run(["topic", "ls", "--cluster-dir", nowhere], both)).toEqual([
    2,
    "",
    expect.stringContaining(`there is no directory ${nowhere}`),
  ]);
});
