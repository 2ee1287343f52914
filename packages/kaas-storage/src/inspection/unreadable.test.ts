import { slotOf } from "@kaas/core/internal";
import { expect, test } from "vitest";
import { values } from "../testing/batches.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume } from "../testing/open-test-volume.js";
import { testHost } from "../testing/test-inspection-host.js";
import { TestProducer } from "../testing/transactions.js";
import { VolumeInspection } from "./volume-inspection.js";

async function madeVolume(): Promise<LosingFileSystem> {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  const log = await volume.partition({ segmentBytes: 400, indexIntervalBytes: 1 });
  const { first } = await volume.files.claimProducerIds();
  const producer = new TestProducer(first);
  for (let n = 0; n < 6; n++) {
    await producer.send(log, `value ${n}`);
    await producer.end(log, n % 2 === 0);
    await log.append(values([`plain ${n}`]), -1);
  }
  const journal = await volume.slotJournals.open("groups", slotOf("g", 50));
  for (let offset = 0; offset < 3; offset++) {
    const topics = [{ topic: "t", topicId: log.id.topicId, partitions: [[0, offset, 0, ""] as const] }];
    await journal.append({ type: "commit", group: "g", committedAt: 1, expiresAt: null, topics });
  }
  await volume.files.writeDocument("broker-configs", 0, {});
  await volume.topics.create("empty", 2, {});
  await volume.logs.enforceRetention(); // after the segments that are being closed: nothing changes from here on
  return fileSystem.killed();
}

const inspect = (fileSystem: LosingFileSystem): Promise<VolumeInspection> =>
  VolumeInspection.open({ directory: "/data", fileSystem, host: testHost });

async function filesOf(fileSystem: LosingFileSystem, directory: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name, isDirectory } of await fileSystem.list(directory)) {
    const path = `${directory}/${name}`;
    found.push(...(isDirectory ? await filesOf(fileSystem, path) : [path]));
  }
  return found;
}

/** What no broker reads again, or what only people read. */
const UNIMPORTANT = /\.snapshot$|\/manifest\.json$/;

test("each file that the operating system refuses to read is named, and the rest is looked at all the same", async () => {
  const fileSystem = await madeVolume();
  const inspection = await inspect(fileSystem);
  expect(await inspection.examine()).toMatchObject({ isSound: true });
  for (const path of (await filesOf(fileSystem, "/data")).filter((one) => !UNIMPORTANT.test(one))) {
    fileSystem.before = (operation, at) => {
      if ((operation === "read" || operation === "open") && at === path) {
        throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
      }
    };
    const { findings, isSound } = await inspection.examine();
    const about = findings.filter(({ file }) => file === path);
    expect([path, about.map(({ code }) => code)]).toEqual([path, expect.arrayContaining([expect.any(String)])]);
    expect([path, isSound]).toEqual([path, about.every(({ severity }) => severity === "note")]);
  }
});

test("a read that fails in the middle of a segment is named too", async () => {
  const fileSystem = await madeVolume();
  const open = fileSystem.open.bind(fileSystem);
  fileSystem.open = async (path, mode) => {
    const handle = await open(path, mode);
    if (path.endsWith(".log")) {
      handle.read = () => Promise.reject(Object.assign(new Error("EIO: i/o error"), { code: "EIO" }));
    }
    return handle;
  };
  const { findings } = await (await inspect(fileSystem)).examine();
  expect(findings.filter(({ file }) => file.endsWith(".log"))).toContainEqual(
    expect.objectContaining({ code: "file-unreadable", message: expect.stringContaining("EIO") }),
  );
});

test("each file that is gone is either named or of no importance", async () => {
  const needless =
    /\/lock-|\/brokers\/|\/broker-configs-\d+\.json$|\/producer-state\.snapshot$|\/manifest\.json$|\.snapshot$/;
  const paths = await filesOf(await madeVolume(), "/data");
  for (const path of paths.filter((one) => !needless.test(one))) {
    const fileSystem = await madeVolume();
    const inspection = await inspect(fileSystem);
    // Ids and nonces differ between two volumes that were made in the same way; the names that matter do not.
    if (!(await filesOf(fileSystem, "/data")).includes(path)) continue;
    await fileSystem.unlink(path);
    const { findings } = await inspection.examine();
    const isTail = path.endsWith(".log") && findings.length === 0;
    const isBlock = path.includes("/producer_ids/");
    expect([path, isTail || isBlock || findings.some(({ file }) => file === path)]).toEqual([path, true]);
  }
});

test("a name that a further log directory and a topic agree on, and all in which they do not", async () => {
  const fileSystem = new LosingFileSystem();
  for (const name of ["/more", "/third"]) await fileSystem.makeDirectory(name);
  const volume = await openTestVolume(fileSystem, { furtherDirectories: ["/more", "/third"] });
  await volume.topics.create("t", 6, {});
  await volume.close();
  const found = async (furtherDirectories: readonly string[]): Promise<string[]> => {
    const inspection = await VolumeInspection.open({
      directory: "/data",
      furtherDirectories,
      fileSystem,
      host: testHost,
    });
    return (await inspection.examine()).findings.map(({ code, file }) => `${code} ${file}`).sort();
  };
  expect(await found(["/more", "/third/"])).toEqual([]);
  expect(new Set(await found(["/more"]))).toEqual(new Set(["log-directory-unknown /data/t/.config.json"]));
  await fileSystem.makeDirectory("/more/t/9");
  await fileSystem.makeDirectory("/more/.deleting-x");
  await fileSystem.makeDirectory("/data/t/1");
  await fileSystem.rename("/third/t", "/third/u");
  expect(await found(["/more", "/third", "/gone"])).toEqual([
    "deleting-leftover /more/.deleting-x",
    "log-directory-missing /gone",
    "move-unfinished /data/t/1",
    "partition-missing /third/t/2",
    "partition-missing /third/t/5",
    "partition-unfinished /more/t/9",
    "topic-orphaned /third/u",
  ]);
});
