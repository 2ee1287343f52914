import { chmodSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { makeVolume, openDiskVolume, temporaryDirectory } from "./disk-volume.js";
import { faults } from "./plant-faults.js";
import { runKaasctl, runShell } from "./spawn-kaasctl.js";

const folder = temporaryDirectory();
const volume = join(folder.path, "volume");
const NOBODY = 65_534;

beforeAll(() => makeVolume(volume), 60_000);
afterAll(() => folder.remove());

function run(...args: string[]): ReturnType<typeof runKaasctl> {
  return runKaasctl([...args, "--data-dir", volume]);
}

async function json(...args: string[]): Promise<unknown> {
  const { stdout, stderr, code } = await run(...args, "-o", "json");
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

describe("what is on the volume", () => {
  test("volume info", async () => {
    const { stdout, code } = await run("volume", "info");
    expect(stdout).toMatch(
      /^directory +\S+volume\ncluster id +\S{22}\ncoordinator slots +50\ntopics +3\npartitions +4\n/,
    );
    expect(stdout).toContain("in use by          nobody");
    expect(code).toBe(0);
    expect(await json("volume", "info")).toMatchObject({
      topics: 3,
      partitions: 4,
      slotCount: 50,
      users: { isLive: false },
    });
  });

  test("topic ls", async () => {
    const { stdout } = await run("topic", "ls");
    expect(stdout.split("\n").map((line) => line.split(/ +/)[0])).toEqual(["TOPIC", "orders", "payments", "users", ""]);
    expect(await json("topic", "ls")).toMatchObject([{ name: "orders", partitions: 2 }, {}, { name: "users" }]);
  });

  test("topic describe", async () => {
    const { stdout } = await run("topic", "describe", "orders");
    expect(stdout).toMatch(/topic +orders\n/);
    expect(stdout).toMatch(/\n +0 +0 +kaas-0 +released +0 +68 +\d+ +\d/);
    expect(await json("topic", "describe", "orders")).toMatchObject({
      partitionCount: 2,
      partitions: [{ logStartOffset: 0, describedEndOffset: 68 }, { describedEndOffset: 60 }],
    });
  });

  test("offsets show", async () => {
    const { stdout } = await run("offsets", "show", "readers");
    expect(stdout).toMatch(/group +readers\n/);
    expect(stdout).toMatch(/orders +0 +10 +0 +2023-11-14T22:13:20.000Z/);
    expect(await json("offsets", "show", "readers")).toMatchObject({ group: "readers", offsets: [{ offset: 10 }] });
  });

  test("slots, and blocks of producer ids", async () => {
    expect(await json("slots")).toMatchObject([
      { kind: "groups", slot: 16, epoch: 0, groups: 1, entries: 10, isReleased: true, fuse: "gone", findings: [] },
      { kind: "groups", groups: 1 },
    ]);
    expect(await json("producer-ids")).toMatchObject({
      blocks: [{ first: 0, count: 1000 }, { first: 1000 }],
      findings: [],
    });
    expect((await run("producer-ids")).stdout).toMatch(/BLOCK +FIRST +LAST +CLAIMED BY\n +0 +0 +999 /);
    expect((await run("slots")).stdout).toMatch(/groups +16 +0 +kaas-0 +released +gone +1 +10 .* sound/);
  });

  test("yaml says the same as json", async () => {
    for (const args of [
      ["volume", "info"],
      ["topic", "describe", "orders"],
      ["log", "dump", "orders", "0", "--decode"],
    ]) {
      const { stdout } = await run(...args, "-o", "yaml");
      const fixed = (value: unknown): string => JSON.stringify(value).replace(/"usableBytes":\d+/, "");
      expect(fixed(parseYaml(stdout))).toBe(fixed(await json(...args)));
    }
  });
});

describe("log dump", () => {
  interface Dumped {
    readonly baseOffset: number;
    readonly compression: string;
    readonly control?: { readonly type: string };
    readonly records?: readonly { readonly offset: number; readonly value: { readonly text: string } }[];
  }

  test("batches of a range, one line each", async () => {
    const { stdout, code } = await run("log", "dump", "orders", "0", "--from", "10", "--to", "12");
    expect(
      stdout
        .split("\n")
        .slice(1, -1)
        .map((line) => line.split(" ")[0]),
    ).toEqual(["10..10", "11..11", "12..12"]);
    expect(code).toBe(0);
  });

  test("records of every codec; those out of the range are left out", async () => {
    const batches = (await json("log", "dump", "orders", "0", "--from", "61", "--decode")) as Dumped[];
    expect(batches.map(({ compression }) => compression)).toEqual(["gzip", "snappy", "lz4", "zstd"]);
    const texts = batches.flatMap(({ records = [] }) => records.map(({ offset, value }) => [offset, value.text]));
    expect(texts).toEqual(
      [61, 62, 63, 64, 65, 66, 67].map((offset) => [offset, offset % 2 === 0 ? "packed one" : "packed two"]),
    );
  });

  test("markers are shown as what they are", async () => {
    const batches = (await json("log", "dump", "payments", "0")) as Dumped[];
    const types = batches.flatMap(({ control }) => (control === undefined ? [] : [control.type]));
    expect(types.filter((type) => type === "abort")).toHaveLength(4);
    expect(types.filter((type) => type === "commit")).toHaveLength(16);
    expect((await run("log", "dump", "payments", "0", "--decode")).stdout).toContain("control:abort");
  });

  test("a reader that goes away ends it quietly", async () => {
    const line = `set -o pipefail; $KAASCTL log dump orders 0 --decode --data-dir ${volume} | head -n 1`;
    const { stdout, stderr, code } = await runShell(line);
    expect([stdout.split(" ")[0], stderr, code]).toEqual(["OFFSETS", "", 0]);
  });

  test("nothing where there is nothing in the range", async () => {
    expect(await json("log", "dump", "orders", "0", "--from", "1000")).toEqual([]);
    expect(parseYaml((await run("log", "dump", "orders", "0", "--from", "1000", "-o", "yaml")).stdout)).toEqual([]);
  });
});

describe("log verify", () => {
  test("everything, a topic, a partition", async () => {
    expect((await run("log", "verify")).stdout).toMatch(/4 partitions, \d+ batches: /);
    expect(await json("log", "verify", "orders")).toMatchObject([
      { batches: 64, records: 68, findings: [] },
      { batches: 60 },
    ]);
    expect(await json("log", "verify", "orders", "1")).toMatchObject([{ partition: 1, endOffset: 60 }]);
  });

  test("damage makes the exit code 1, and is named, in the dump too", async () => {
    const damaged = join(folder.path, "damaged");
    await makeVolume(damaged);
    const { file } = faults["a flipped byte in the middle of a log"]?.(damaged) ?? { file: "" };
    const verified = await runKaasctl(["log", "verify", "--data-dir", damaged]);
    expect(verified.stdout).toContain(`error ${file}\n`);
    const dumped = await runKaasctl(["log", "dump", "orders", "0", "--data-dir", damaged]);
    expect(dumped.stdout).toContain(`error ${file}: its checksum does not match`);
    expect([verified.code, dumped.code]).toEqual([1, 1]);
  });
});

describe("wrong use", () => {
  test.for([
    [[], "which command?"],
    [["log"], "which command of log?"],
    [["docter"], "Did you mean doctor?"],
    [["doctor", "--quik"], "Unknown argument: quik"],
    [["doctor", "-o", "xml"], "Invalid values"],
    [["topic", "describe"], "Not enough non-option arguments"],
    [["topic", "describe", "nope"], "there is no topic nope in"],
    [["topic", "describe", "../volume"], "there is no topic ../volume in"],
    [["log", "dump", "orders", "5"], "topic orders has no directory of partition 5; it has 0, 1"],
    [["log", "dump", "orders", "zero"], "partition has to be a whole number"],
    [["log", "dump", "orders", "0", "--from", "-1"], "from has to be a whole number"],
    [["offsets", "show", "nobody"], "there is no group nobody in"],
  ] as const)("kaasctl %s", async ([args, message]) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^kaasctl: .*\n/);
    expect(stderr).toContain(message);
  });

  test("no volume named, none there, none in the directory, no directory", async () => {
    const empty = join(folder.path, "empty");
    mkdirSync(empty);
    const given = async (...args: string[]): Promise<string> => {
      const { code, stderr } = await runKaasctl(["doctor", ...args]);
      return `${code} ${stderr.split("\n")[0]}`;
    };
    expect(await given()).toBe("2 kaasctl: which volume? Give --data-dir DIR, or set KAAS_DATA_DIR");
    expect(await given("--data-dir", "/nowhere/at/all")).toBe("2 kaasctl: there is no directory /nowhere/at/all");
    expect(await given("--data-dir", empty)).toMatch(
      /^2 kaasctl: .*empty is no kaas volume: there is no __cluster in it$/,
    );
    expect(await given("--data-dir", join(volume, "__cluster/cluster.json"))).toMatch(/^2 .* is not a directory$/);
  });

  test("the environment names the volume too", async () => {
    const { stdout } = await runKaasctl(["topic", "ls"], { environment: { KAAS_DATA_DIR: volume } });
    expect(stdout).toContain("orders");
  });

  test("a volume of a newer format says so, with the file, whatever is asked", async () => {
    const newer = join(folder.path, "newer");
    await makeVolume(newer);
    faults["a newer format of the cluster's document"]?.(newer);
    for (const args of [["volume", "info"], ["topic", "ls"], ["slots"], ["log", "verify"]]) {
      const { code, stderr } = await runKaasctl([...args, "--data-dir", newer]);
      expect(code).toBe(1);
      expect(stderr).toContain(`${newer}/__cluster/cluster.json: its format is 99`);
    }
  });
});

test.runIf(process.getuid?.() === 0)("who may not read the volume is told", async () => {
  chmodSync(folder.path, 0o755);
  const { code, stderr } = await runKaasctl(["doctor", "--data-dir", volume], { uid: NOBODY });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${volume} cannot be read: EACCES`)]);
  const locked = join(folder.path, "locked");
  await makeVolume(locked);
  chmodSync(locked, 0o755);
  const partly = await runKaasctl(["doctor", "--data-dir", locked], { uid: NOBODY });
  expect(partly.stdout).toContain(`error ${locked}/orders\n`);
  expect(partly.code).toBe(1);
});

describe("repair", () => {
  test("says what it would do, does it when told, and has nothing to do after that", async () => {
    const broken = join(folder.path, "broken");
    await makeVolume(broken);
    const plant = (name: string): string => faults[name]?.(broken).file ?? "";
    const index = plant("an offset index corrupted");
    const times = plant("a time index corrupted");
    const aborted = plant("an index of aborted transactions deleted");
    const leftovers = [plant("a deleted topic that was not removed"), plant("a file that was never finished")];
    plant("a copy that is out of date");
    const repair = (...args: string[]): ReturnType<typeof runKaasctl> =>
      runKaasctl(["repair", "--data-dir", broken, ...args]);
    const dry = await repair();
    for (const file of [index, times, aborted]) expect(dry.stdout).toContain(`rebuild ${file}\n`);
    for (const file of leftovers) expect(dry.stdout).toContain(`remove  ${file}\n`);
    expect(dry.stdout).toContain("nothing has been changed");
    expect((await runKaasctl(["doctor", "--data-dir", broken])).code).toBe(1);
    const applied = await repair("--apply");
    expect([applied.code, applied.stderr]).toEqual([0, ""]);
    expect((await runKaasctl(["doctor", "--data-dir", broken])).stdout).toMatch(/^\S+broken: sound; 4 partitions/);
    expect((await repair()).stdout).toBe("nothing to repair\n");
    const reopened = await openDiskVolume(broken);
    await reopened.close();
  });

  test("leaves alone what needs a person, and says so", async () => {
    const broken = join(folder.path, "lost");
    await makeVolume(broken);
    const { file } = faults["a sealed segment deleted"]?.(broken) ?? { file: "" };
    const { stdout, code } = await runKaasctl(["repair", "--apply", "--data-dir", broken]);
    expect(stdout).toContain(`left alone ${file}: `);
    expect(code).toBe(1);
  });

  test("refuses while a broker has the volume, and doctor does not mind it", async () => {
    const used = join(folder.path, "used");
    await makeVolume(used);
    const user = await openDiskVolume(used);
    try {
      const { code, stderr } = await runKaasctl(["repair", "--apply", "--data-dir", used]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`is in use by process ${process.pid}`)]);
      expect((await runKaasctl(["doctor", "--data-dir", used])).code).toBe(0);
      const info = await runKaasctl(["volume", "info", "--data-dir", used]);
      expect(info.stdout).toContain(`process ${process.pid} on `);
      expect(info.stdout).toMatch(/kaas-0 +A+\d+ +live /);
    } finally {
      await user.close();
    }
  });
});

test("looking leaves no trace", async () => {
  const listing = (directory: string): string[] => readdirSync(directory, { recursive: true, encoding: "utf8" }).sort();
  const before = listing(volume);
  for (const args of [["doctor"], ["log", "verify"], ["repair"], ["volume", "info"], ["slots"]]) await run(...args);
  expect(listing(volume)).toEqual(before);
});

test("further log directories are named after the first", async () => {
  const [main, more] = [join(folder.path, "main"), join(folder.path, "more")];
  mkdirSync(more, { mode: 0o700 });
  const both = await openDiskVolume(main, [more]);
  await both.topics.create("spread", 4, {});
  await both.close();
  expect((await runKaasctl(["doctor", "--data-dir", `${main},${more}`])).code).toBe(0);
  const { stdout, code } = await runKaasctl(["doctor", "--data-dir", main]);
  expect(stdout).toContain(`warning ${main}/spread/.config.json`);
  expect(code).toBe(1);
  rmSync(join(more, "spread/1"), { recursive: true, force: true });
  const lost = await runKaasctl(["doctor", "--data-dir", `${main},${more}`]);
  expect(lost.stdout).toContain(`error ${more}/spread/1\n`);
});

describe("help and completion", () => {
  test("help of the whole and of each command, with examples", async () => {
    const { stdout, code } = await runKaasctl(["--help"]);
    expect(code).toBe(0);
    for (const word of [
      "volume",
      "topic",
      "log",
      "offsets",
      "slots",
      "producer-ids",
      "doctor",
      "repair",
      "Exit status",
    ]) {
      expect(stdout).toContain(word);
    }
    for (const command of [["log", "dump"], ["log", "verify"], ["doctor"], ["repair"], ["offsets", "show"]]) {
      const help = (await runKaasctl([...command, "--help"])).stdout;
      expect(help).toContain("Examples:");
      expect(help).toContain(`kaasctl ${command.join(" ")}`);
    }
    expect((await runKaasctl(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test("the scripts are of the shell that was asked for", async () => {
    expect((await runKaasctl(["completion", "zsh"])).stdout).toContain("#compdef kaasctl");
    expect((await runKaasctl(["completion", "bash"])).stdout).toContain("complete -o");
    const { code } = await runShell("source <($KAASCTL completion bash)");
    expect(code).toBe(0);
  });

  test("words that the shell asks for", async () => {
    const complete = async (...words: string[]): Promise<string[]> => {
      const { stdout } = await runKaasctl(["--get-yargs-completions", "kaasctl", ...words]);
      return stdout.split("\n").slice(0, -1);
    };
    expect(await complete("")).toContain("doctor");
    expect(await complete("to")).toEqual(["topic"]);
    expect(await complete("log", "")).toEqual(["dump", "verify"]);
    expect(await complete("--data-dir", volume, "log", "dump", "o")).toEqual(["orders"]);
    expect(await complete("--data-dir", volume, "log", "dump", "orders", "")).toEqual(["0", "1"]);
    expect(await complete(`--data-dir=${volume}`, "offsets", "show", "")).toEqual(["readers", "writers"]);
    expect(await complete("log", "dump", "--de")).toEqual(["--decode"]);
    expect(await complete("topic", "describe", "")).toEqual([]);
  });
});
