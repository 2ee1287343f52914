import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { publishAssignments } from "../../test/assignments.js";
import { makeVolume, temporaryDirectory } from "../../test/disk-volume.js";
import { testSurroundings } from "../../test/test-surroundings.js";
import { runKaasctl } from "../run.js";

const folder = temporaryDirectory();
const cluster = join(folder.path, "cluster");
const single = join(folder.path, "single");

beforeAll(async () => {
  await makeVolume(cluster);
  await publishAssignments(cluster);
  await makeVolume(single);
}, 120_000);

afterAll(() => folder.remove());

async function run(volume: string, ...args: string[]): Promise<{ code: number; text: string; errors: string }> {
  const { surroundings, text, errors } = testSurroundings({ environment: { KAAS_DATA_DIR: volume } });
  const code = await runKaasctl(args, surroundings);
  return { code, text: text(), errors: errors() };
}

async function json(...args: string[]): Promise<unknown> {
  const { code, text } = await run(cluster, ...args, "-o", "json");
  expect(code).toBe(0);
  return JSON.parse(text);
}

test("assignment show tells what each broker has, and who leads a topic", async () => {
  const whole = await run(cluster, "assignment", "show");
  expect(whole.code).toBe(0);
  expect(whole.text).toMatch(/assignment +7-2\ncontroller +0\n/);
  expect(whole.text).toMatch(/topics +1, 3 partitions\nwithout a leader +1\n/);
  expect(whole.text).toMatch(/\n +2 +kaas-2 +1 +1 +1\n/);
  const topic = await run(cluster, "assignment", "show", "orders");
  expect(topic.text).toMatch(/ +1 +2 +6 +-\n +2 +- +- +-\n$/);
  expect(await json("assignment", "show")).toMatchObject({ controllerEpoch: 7, version: 2 });
  expect(await run(cluster, "assignment", "show", "none")).toMatchObject({
    code: 2,
    errors: expect.stringContaining("assignment 7-2 knows no topic none"),
  });
});

test("assignment history lists what is kept, and who decided it", async () => {
  expect((await run(cluster, "assignment", "history")).text).toMatch(
    /\n7-1 +2023-\S+ +0 +2\/2 +- +kaas-0 process-0\n7-2 +2023-\S+ +0 +2\/3 +3 +kaas-0 process-0\n$/,
  );
  expect(await json("assignment", "history")).toMatchObject({
    assignments: [{ moves: null }, { moves: 3 }],
    claims: [{ epoch: 7, broker: "kaas-0" }],
    findings: [],
  });
});

test("assignment diff tells what has changed", async () => {
  expect(await json("assignment", "diff")).toEqual({
    from: "7-1",
    to: "7-2",
    changes: [
      { kind: "broker", what: "kaas-1", from: "alive process-1", to: "lost process-1" },
      { kind: "broker", what: "kaas-2", from: null, to: "alive process-2" },
      { kind: "partition", what: "orders-1", from: "1", to: "2" },
      { kind: "partition", what: "orders-2", from: null, to: "nobody" },
      { kind: "group slot", what: "1", from: "1", to: "2" },
      { kind: "transaction slot", what: "0", from: "1", to: "2" },
    ],
  });
  expect((await run(cluster, "assignment", "diff", "7-2", "7-2")).text).toBe(
    "7-2 and 7-2 give everything to the same brokers\n",
  );
  for (const [name, problem] of [
    ["8-1", "assignment 8-1 is not kept; there is 7-1, 7-2"],
    ["newest", "newest is no assignment: write EPOCH-VERSION"],
  ] as const) {
    expect(await run(cluster, "assignment", "diff", name)).toMatchObject({
      code: 2,
      errors: expect.stringContaining(problem),
    });
  }
});

test("brokers lists them with what they lead and their fuses", async () => {
  expect((await run(cluster, "brokers")).text).toMatch(/\n +1 +kaas-1 +lost +- +- +0 +0 +gone +process-1 +PLAINTEXT:/);
  expect(await json("brokers")).toMatchObject([
    { nodeId: 0, isController: true, rack: "east", partitions: 1 },
    { nodeId: 1, isAlive: false },
    { nodeId: 2, groupSlots: 1, transactionSlots: 1 },
  ]);
});

test("where a broker runs alone there is nothing to show, and it says why", async () => {
  for (const args of [["assignment", "show"], ["assignment", "history"], ["assignment", "diff"], ["brokers"]]) {
    expect(await run(single, ...args)).toMatchObject({
      code: 2,
      errors: expect.stringContaining("a broker that runs alone leads everything"),
    });
  }
});

test("an assignment that cannot be read is an error that names it, here and to the doctor", async () => {
  const broken = join(folder.path, "broken");
  await makeVolume(broken);
  await publishAssignments(broken);
  const file = join(broken, "__cluster/assignments/0000000007-0000000002.json");
  writeFileSync(file, "{");
  for (const args of [["assignment", "show"], ["assignment", "history"], ["doctor"]]) {
    expect(await run(broken, ...args)).toMatchObject({ code: 1, text: expect.stringContaining(`error ${file}`) });
  }
  writeFileSync(join(broken, "__cluster/assignments/0000000007-0000000001.json"), "{");
  expect(await run(broken, "assignment", "show")).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/^kaasctl: .*0000000007-000000000[12]\.json: /),
  });
});

test("completions know the commands and the names of assignments", async () => {
  const complete = async (...words: string[]): Promise<string> =>
    (await run(cluster, "--get-yargs-completions", "kaasctl", ...words)).text;
  expect(await complete("assignment", "")).toBe("show\nhistory\ndiff\n");
  expect(await complete("assignment", "diff", "7-1", "")).toBe("7-1\n7-2\n");
  expect(await complete("assignment", "diff", "7-1", "7-2", "")).toBe("");
  expect(await complete("assignment", "show", "o")).toBe("orders\n");
});
