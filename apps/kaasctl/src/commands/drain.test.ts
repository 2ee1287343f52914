import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { publishAssignments, publishDrained } from "../../test/assignments.js";
import { makeVolume, temporaryDirectory } from "../../test/disk-volume.js";
import { testSurroundings } from "../../test/test-surroundings.js";
import { runKaasctl } from "../run.js";

let folder: ReturnType<typeof temporaryDirectory>;
let volume: string;

beforeEach(async () => {
  folder = temporaryDirectory();
  volume = join(folder.path, "volume");
  await makeVolume(volume);
}, 120_000);

afterEach(() => folder.remove());

type Options = Parameters<typeof testSurroundings>[0];

async function run(args: readonly string[], options: Options = {}): Promise<[number, string, string]> {
  const { surroundings, text, errors } = testSurroundings({ ...options, environment: { KAAS_DATA_DIR: volume } });
  const code = await runKaasctl(args, surroundings);
  return [code, text(), errors()];
}

const wish = (broker: string): string => join(volume, `__cluster/drains/${broker}.json`);

test("drain writes a wish, and undo takes it back", async () => {
  await publishAssignments(volume);
  expect(await run(["drain", "kaas-2"])).toEqual([
    0,
    "kaas-2 is to be drained; it leads 1 partition and 2 slots\n",
    "",
  ]);
  expect(existsSync(wish("kaas-2"))).toBe(true);
  expect((await run(["drain", "kaas-2"]))[1]).toMatch(/^kaas-2 is being drained; /);
  const [code, text] = await run(["drain", "kaas-2", "-o", "json"]);
  expect([code, JSON.parse(text)]).toEqual([
    0,
    { broker: "kaas-2", isWished: true, hasChanged: false, partitions: 1, slots: 2, claims: 0, isDrained: false },
  ]);
  expect(await run(["drain", "kaas-2", "--undo"])).toEqual([0, "kaas-2 may lead again\n", ""]);
  expect(existsSync(wish("kaas-2"))).toBe(false);
  expect((await run(["drain", "kaas-2", "--undo"]))[1]).toBe("kaas-2 was not drained\n");
});

test("drain --wait shows what is led, and ends when it is nothing", async () => {
  await publishAssignments(volume);
  const pause = (): Promise<void> => publishDrained(volume);
  expect(await run(["drain", "kaas-2", "--wait"], { pause })).toEqual([
    0,
    "kaas-2 is drained: it leads nothing\n",
    "kaas-2 leads 1 partition and 2 slots\n",
  ]);
});

test("drain --wait gives up after its time, and the wish stays", async () => {
  await publishAssignments(volume);
  let now = 0;
  const pause = async (ms: number): Promise<void> => {
    now += ms;
  };
  const [code, text, errors] = await run(["drain", "kaas-2", "--wait", "--timeout", "5"], {
    pause,
    monotonic: () => now,
  });
  expect([code, now]).toEqual([1, 5_500]);
  expect(text).toBe("kaas-2 is to be drained; it leads 1 partition and 2 slots\n");
  expect(errors).toBe("kaas-2 leads 1 partition and 2 slots\nkaasctl: it takes longer than 5 s; the wish stays\n");
  expect(existsSync(wish("kaas-2"))).toBe(true);
});

test("what cannot be drained is refused, and nothing is written", async () => {
  expect(await run(["drain", "kaas-0"])).toMatchObject([2, "", expect.stringContaining("a broker that runs alone")]);
  await publishAssignments(volume);
  expect(await run(["drain", "kaas-9"])).toMatchObject([
    2,
    "",
    expect.stringContaining("there is no broker kaas-9; there are kaas-0, kaas-1, kaas-2"),
  ]);
  expect((await run(["drain", "kaas-0"]))[0]).toBe(0);
  // kaas-1 is lost, and kaas-0 is to lead nothing either.
  expect(await run(["drain", "kaas-2"])).toMatchObject([
    2,
    "",
    expect.stringContaining("kaas-2 cannot be drained: no other broker is there to lead"),
  ]);
  expect(existsSync(wish("kaas-2"))).toBe(false);
  expect((await run(["drain", "kaas-0", "--undo", "--wait"]))[0]).toBe(2);
});
