import type { TopicDescription } from "@kaas/core";
import { describe, expect, test } from "vitest";
import type { FileSystem } from "../file-system/file-system.js";
import { MemoryFileSystem } from "../file-system/memory.js";
import { values } from "../testing/batches.js";
import { defaultLogConfig } from "../testing/log-config.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, recordingLog, type TestVolume } from "../testing/open-test-volume.js";
import type { VolumeOptions } from "../volume.js";
import { placePartitions } from "./place-partitions.js";

const FURTHER = ["/fast", "/slow"];

async function mounted(): Promise<LosingFileSystem> {
  const fileSystem = new LosingFileSystem();
  for (const path of FURTHER) await fileSystem.makeDirectory(path);
  await fileSystem.syncDirectory("/");
  return fileSystem;
}

function open(fileSystem: FileSystem, options: Partial<Omit<VolumeOptions, "clock">> = {}): Promise<TestVolume> {
  return openTestVolume(fileSystem, { furtherDirectories: FURTHER, ...options });
}

async function names(fileSystem: FileSystem, path: string): Promise<string[]> {
  return (await fileSystem.list(path))
    .map(({ name }) => name)
    .filter((name) => name !== "__cluster")
    .sort();
}

async function append({ logs }: TestVolume, { name, id }: TopicDescription, partition: number): Promise<number> {
  const log = await logs.open({ topic: name, topicId: id, partition }, defaultLogConfig);
  return (await log.append(values([`${name}-${partition}`]), -1)).baseOffset;
}

test("new partitions go where the fewest are", () => {
  const [main, a, b] = ["data", "a", "b"].map((name) => ({ name, path: `/${name}` }));
  if (main === undefined || a === undefined || b === undefined) throw new Error("three directories");
  const topics = [{ partitionCount: 3, placement: new Map([[1, "a"]]) }];
  expect([...placePartitions(main, [a, b], topics, 3, 8)]).toEqual([
    [3, "b"],
    [4, "a"],
    [5, "b"],
    [7, "a"],
  ]);
  expect([...placePartitions(main, [], topics, 3, 8)]).toEqual([]);
});

describe("further log directories", () => {
  test("take their share of partitions, and are found again", async () => {
    const fileSystem = await mounted();
    const volume = await open(fileSystem);
    const topic = await volume.topics.create("t", 3, {});
    await volume.topics.createPartitions(topic, 6);
    for (let partition = 0; partition < 6; partition++) await append(volume, topic, partition);
    expect(await Promise.all(["/data/t", "/fast/t", "/slow/t"].map((path) => names(fileSystem, path)))).toEqual([
      [".config.json", ".topic-id.json", "0", "3"],
      [".topic-id.json", "1", "4"],
      [".topic-id.json", "2", "5"],
    ]);
    const described = await volume.logs.describeLogDirs();
    expect(
      described.map(({ path, partitions }) => [path, partitions.map(({ partition }) => partition).sort()]),
    ).toEqual([
      ["/data", [0, 3]],
      ["/fast", [1, 4]],
      ["/slow", [2, 5]],
    ]);
    const again = await open(fileSystem.crashed());
    for (let partition = 0; partition < 6; partition++) expect(await append(again, topic, partition)).toBe(1);
  });

  test("let go of a topic that is deleted, and its name is free", async () => {
    const fileSystem = await mounted();
    const volume = await open(fileSystem);
    const topic = await volume.topics.create("t", 3, {});
    await append(volume, topic, 1);
    await volume.topics.delete(topic);
    const again = await volume.topics.create("t", 3, {});
    await volume.close();
    expect(await Promise.all(FURTHER.map((path) => names(fileSystem, path)))).toEqual([["t"], ["t"]]);
    expect(await append(await open(fileSystem), again, 1)).toBe(0);
  });

  test("are cleared by the next start of what a crash left of a creation or a deletion", async () => {
    for (const kind of ["create", "delete"] as const) {
      for (let steps = 0; ; steps++) {
        const fileSystem = await mounted();
        const volume = await open(fileSystem);
        const topic = kind === "delete" ? await volume.topics.create("t", 3, {}) : undefined;
        let left = steps;
        fileSystem.before = () => {
          if (left-- <= 0) throw Object.assign(new Error("the process is dead"), { code: "EIO" });
        };
        const work = topic === undefined ? volume.topics.create("t", 3, {}) : volume.topics.delete(topic);
        await work.catch(() => undefined);
        await volume.close().catch(() => undefined);
        fileSystem.before = () => undefined;
        for (const after of [fileSystem.killed(), fileSystem.crashed(), fileSystem.crashed(() => 1)]) {
          const next = await open(after);
          const [found] = [...next.topics.topics()];
          if (found === undefined) await next.topics.create("t", 3, {});
          else for (let partition = 0; partition < 3; partition++) expect(await append(next, found, partition)).toBe(0);
          await next.close();
          const rest = await Promise.all(["/data", ...FURTHER].map((path) => names(after, path)));
          expect(rest.map((entries) => entries.filter((name) => name === "t"))).toEqual([["t"], ["t"], ["t"]]);
        }
        if (left > 0) break;
      }
    }
  });

  test("that are missing keep their own partitions from opening, and nothing else, until they are back", async () => {
    const fileSystem = await mounted();
    const first = await open(fileSystem);
    const topic = await first.topics.create("t", 3, {});
    for (let partition = 0; partition < 3; partition++) await append(first, topic, partition);
    await first.close();
    await fileSystem.rename("/fast", "/elsewhere");
    const log = recordingLog();
    const volume = await open(fileSystem, { log });
    expect(log.lines.map(({ message }) => message)).toContain("a log directory cannot be used");
    expect(await append(volume, topic, 0)).toBe(1);
    expect(await append(volume, topic, 2)).toBe(1);
    await expect(append(volume, topic, 1)).rejects.toMatchObject({ code: "KAAS_STORAGE_FAILED" });
    // An empty directory where a volume should be mounted is not mistaken for the volume.
    await fileSystem.makeDirectory("/fast");
    await expect(append(volume, topic, 1)).rejects.toMatchObject({ message: expect.stringContaining("is the volume") });
    await volume.topics.create("u", 1, {});
    await volume.close();
    await fileSystem.rename("/fast", "/empty");
    await fileSystem.rename("/elsewhere", "/fast");
    expect(await append(await open(fileSystem), topic, 1)).toBe(1);
  });

  test("that are not configured any more are named", async () => {
    const fileSystem = await mounted();
    const first = await open(fileSystem);
    const topic = await first.topics.create("t", 3, {});
    await first.close();
    const volume = await open(fileSystem, { furtherDirectories: ["/slow"] });
    await expect(append(volume, topic, 1)).rejects.toMatchObject({
      message: 'partition t-1 lies in the log directory "fast", which is none of /data, /slow; add it to log.dirs',
    });
    expect(await append(volume, topic, 2)).toBe(0);
  });

  test("hold what is not ours in peace", async () => {
    const fileSystem = await mounted();
    const other = await openTestVolume(fileSystem, { directory: "/other", furtherDirectories: ["/fast"] });
    await other.topics.create("t", 2, {});
    await other.close();
    const volume = await open(fileSystem);
    await expect(volume.topics.create("t", 3, {})).rejects.toMatchObject({
      code: "KAAS_TOPIC_CONFLICT",
      message: expect.stringContaining("/fast/t belongs to"),
    });
    expect(await names(fileSystem, "/fast/t")).toEqual([".topic-id.json", "1"]);
  });

  test("belong to one process, and have names of their own", async () => {
    const fileSystem = new MemoryFileSystem();
    for (const path of FURTHER) await fileSystem.makeDirectory(path);
    const volume = await open(fileSystem);
    const log = recordingLog();
    const other = await openTestVolume(fileSystem, { directory: "/other", furtherDirectories: ["/fast"], log });
    expect(log.lines.map(({ level, message }) => [level, message])).toContainEqual([
      "error",
      "a log directory cannot be used",
    ]);
    const topic = await other.topics.create("t", 4, {});
    for (let partition = 0; partition < 4; partition++) expect(await append(other, topic, partition)).toBe(0);
    expect(await names(fileSystem, "/fast")).toEqual([]);
    await volume.close();
    await expect(openTestVolume(fileSystem, { furtherDirectories: ["/a/x", "/b/x"] })).rejects.toMatchObject({
      code: "KAAS_CONFIG_INVALID",
    });
  });
});
