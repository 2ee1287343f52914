import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeVolume, temporaryDirectory } from "../../test/disk-volume.js";
import { testSurroundings } from "../../test/test-surroundings.js";
import { runKaasctl } from "../run.js";

const folder = temporaryDirectory();
const volume = join(folder.path, "volume");
const crashed = { broker: "kaas-1", incarnation: "process-1" };
const successor = { broker: "kaas-2", incarnation: "process-2" };

/** Fuses and a claim as a takeover leaves them: kaas-1 crashed, kaas-2 has blown its fuse and takes orders-0. */
beforeAll(async () => {
  await makeVolume(volume);
  for (const { broker, incarnation } of [crashed, successor]) {
    const directory = join(volume, "__cluster/brokers", broker);
    mkdirSync(directory, { recursive: true });
    const isLive = broker === successor.broker;
    const by = `by ${successor.broker} ${successor.incarnation}, which takes over.`;
    const text = isLive ? `LIVE ${broker} ${incarnation}\n` : `BLOWN ${broker} ${incarnation}\n${by}`;
    writeFileSync(join(directory, `${incarnation}.fuse`), text.padEnd(4_096));
    const description = { version: "1", endpoints: [], startMs: 1_700_000_000_000, isShared: true };
    writeFileSync(
      join(directory, `${incarnation}.json`),
      JSON.stringify({ format: 1, broker, incarnation, ...description }),
    );
  }
  claim(8, crashed);
}, 120_000);

afterAll(() => folder.remove());

function claim(epoch: number, who: { readonly broker: string; readonly incarnation: string }): void {
  const name = `${String(epoch).padStart(8, "0")}.claim`;
  writeFileSync(join(volume, "orders/0", name), JSON.stringify({ format: 1, epoch, ...who }));
}

async function run(...args: string[]): Promise<{ code: number; text: string; errors: string }> {
  const { surroundings, text, errors } = testSurroundings({ environment: { KAAS_DATA_DIR: volume } });
  const code = await runKaasctl(args, surroundings);
  return { code, text: text(), errors: errors() };
}

test("fuse show tells which processes may acknowledge, since when, and who ended the others", async () => {
  const all = await run("fuse", "show");
  expect(all).toMatchObject({ code: 0, errors: "" });
  expect(all.text).toMatch(
    /\nkaas-1 +process-1 +blown +20\S+Z +kaas-2 process-2 +2023-\S+ +1\nkaas-2 +process-2 +live /,
  );
  const one = await run("fuse", "show", "kaas-2", "-o", "json");
  expect(JSON.parse(one.text)).toMatchObject({ processes: [{ ...successor, fuse: "live", claims: 0 }], findings: [] });
  expect(await run("fuse", "show", "kaas-9")).toMatchObject({
    code: 2,
    errors: expect.stringContaining("the volume knows no broker kaas-9; it knows kaas-1, kaas-2"),
  });
});

test("fences ls tells who was fenced, and what is being taken over", async () => {
  expect((await run("fences", "ls")).text).toMatch(/^BROKER [^\n]+\nkaas-1 +process-1 +blown [^\n]+\n$/);
  claim(9, successor);
  const under = await run("fences", "ls");
  expect(under.code).toBe(0);
  expect(under.text).toMatch(/\norders-0 +8 +kaas-1 process-1 +9 +kaas-2 process-2 +under way\n$/);
  expect(JSON.parse((await run("fences", "ls", "-o", "json")).text)).toMatchObject({
    fenced: [crashed],
    takeovers: [{ topic: "orders", number: 0, from: crashed, by: successor, isComplete: false }],
  });
});

test("who leads without having blown the fuse of the one before makes fences ls fail", async () => {
  claim(10, { broker: "kaas-3", incarnation: "process-3" });
  writeFileSync(join(volume, "orders/0/00000010.seal"), "{}");
  const { code, text } = await run("fences", "ls");
  expect(code).toBe(1);
  expect(text).toMatch(/\norders-0 +9 +kaas-2 process-2 +10 +kaas-3 process-3 +leads\n/);
});

test("a fuse or a claim that cannot be read is an error", async () => {
  writeFileSync(join(volume, "__cluster/brokers/kaas-2/process-2.fuse"), "rubbish");
  expect(await run("fuse", "show")).toMatchObject({ code: 1, text: expect.stringContaining("unreadable") });
  expect((await run("fuse", "show", "kaas-1")).code).toBe(0);
  const file = join(volume, "orders/0/00000010.claim");
  writeFileSync(file, "{");
  for (const args of [
    ["fuse", "show"],
    ["fences", "ls"],
  ]) {
    expect(await run(...args)).toMatchObject({ code: 1, text: expect.stringContaining(`error ${file}`) });
  }
});
