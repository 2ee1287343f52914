import type { TopicDescription } from "@kaas/core";
import { describe, expect, test, vi } from "vitest";
import { values } from "../testing/batches.js";
import { defaultLogConfig } from "../testing/log-config.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, recordingLog } from "../testing/open-test-volume.js";
import { isTopicName } from "./topic-files.js";

const list = async (fileSystem: LosingFileSystem, path = "/data") =>
  (await fileSystem.list(path))
    .map(({ name }) => name)
    .filter((name) => name !== "__cluster")
    .sort();

async function topicsOf(fileSystem: LosingFileSystem): Promise<TopicDescription[]> {
  const volume = await openTestVolume(fileSystem);
  const topics = [...volume.topics.topics()];
  await volume.settled();
  return topics.sort((a, b) => a.name.localeCompare(b.name));
}

/** Listens and keeps what it hears. */
function hearing() {
  const heard: string[] = [];
  return {
    heard,
    topicChanged: ({ name, partitionCount }: TopicDescription) => void heard.push(`${name} has ${partitionCount}`),
    topicDeleted: ({ name }: TopicDescription) => void heard.push(`${name} is gone`),
  };
}

describe("topics", () => {
  test("come, grow, change and go, and everybody hears of it before it is answered", async () => {
    const fileSystem = new LosingFileSystem();
    const { topics } = await openTestVolume(fileSystem);
    const listener = hearing();
    topics.addListener(listener);
    const topic = await topics.create("t", 2, { "retention.ms": "5" });
    expect([...topics.topics()]).toEqual([topic]);
    expect(topic).toMatchObject({ name: "t", partitionCount: 2, overrides: { "retention.ms": "5" } });
    await topics.createPartitions(topic, 4);
    await topics.configure(topic, { "cleanup.policy": "compact" });
    expect(listener.heard).toEqual(["t has 2", "t has 4", "t has 4"]);
    expect(await topicsOf(fileSystem.crashed())).toEqual([
      { ...topic, partitionCount: 4, overrides: { "cleanup.policy": "compact" } },
    ]);
    await topics.delete(topic);
    expect(listener.heard.at(-1)).toBe("t is gone");
    expect([...topics.topics()]).toEqual([]);
    expect(await topicsOf(fileSystem.crashed())).toEqual([]);
    const again = await topics.create("t", 1, {});
    expect(again.id).not.toBe(topic.id);
    topics.removeListener(listener);
  });

  test("are directories: a link in the place of one is not served, and that is said", async () => {
    const fileSystem = new LosingFileSystem();
    await (await openTestVolume(fileSystem)).topics.create("t", 1, {});
    const killed = fileSystem.killed();
    const listed = killed.list.bind(killed);
    killed.list = async (path) => {
      const entries = await listed(path);
      return entries.map((entry) => (entry.name === "t" ? { name: "t", isDirectory: false, isLink: true } : entry));
    };
    const log = recordingLog();
    const volume = await openTestVolume(killed, { log });
    expect([...volume.topics.topics()]).toEqual([]);
    expect(log.lines).toContainEqual(
      expect.objectContaining({
        level: "warn",
        fields: { path: "/data/t" },
        message: expect.stringContaining("a link"),
      }),
    );
  });

  test("that a broker finds is there to stay, though its maker died before the name was durable", async () => {
    let fileSystem = new LosingFileSystem();
    const maker = await openTestVolume(fileSystem);
    let isMoved = false;
    fileSystem.before = (operation) => {
      if (isMoved && operation === "syncDirectory") throw new Error("it is dead");
      isMoved ||= operation === "rename";
    };
    await maker.topics.create("t", 1, {}).catch(() => undefined);
    fileSystem = fileSystem.killed();
    const found = await topicsOf(fileSystem);
    expect(found).toMatchObject([{ name: "t" }]);
    expect(await topicsOf(fileSystem.crashed())).toEqual(found);
  });

  test("are not what the caller believed: a conflict", async () => {
    const { topics } = await openTestVolume(new LosingFileSystem());
    const topic = await topics.create("t", 2, {});
    const other = { ...topic, id: "A".repeat(22) };
    const conflict = { code: "KAAS_TOPIC_CONFLICT" };
    await expect(topics.create("t", 1, {})).rejects.toMatchObject(conflict);
    await expect(topics.delete(other)).rejects.toMatchObject(conflict);
    await expect(topics.configure(other, {})).rejects.toMatchObject(conflict);
    await expect(topics.createPartitions(topic, 2)).rejects.toMatchObject(conflict);
    await topics.delete(topic);
    await expect(topics.delete(topic)).rejects.toMatchObject(conflict);
  });

  test("changed at the same time are changed one after the other", async () => {
    const { topics } = await openTestVolume(new LosingFileSystem());
    const outcomes = await Promise.allSettled([topics.create("t", 1, {}), topics.create("t", 1, {})]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    const [topic] = [...topics.topics()] as [TopicDescription];
    await Promise.all([topics.createPartitions(topic, 3), topics.configure(topic, { a: "b" })]);
    expect([...topics.topics()]).toMatchObject([{ partitionCount: 3, overrides: { a: "b" } }]);
    const last = await Promise.allSettled([topics.delete(topic), topics.create("t", 1, {})]);
    expect(last.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
  });

  test("may have the longest names, and no name that would be a path", async () => {
    const fileSystem = new LosingFileSystem();
    const { topics } = await openTestVolume(fileSystem);
    const longest = await topics.create("x".repeat(249), 1, {});
    await topics.delete(longest);
    for (const name of ["", ".", "..", "a/b", "x".repeat(250), "__cluster", "__cluster2", ".deleting-x", "ä"]) {
      expect(isTopicName(name)).toBe(false);
      await expect(topics.create(name, 1, {})).rejects.toMatchObject({ code: "KAAS_TOPIC_CONFLICT" });
    }
    for (const name of ["a", "...", ".a", "__consumer_offsets", "A-b_c.9"]) expect(isTopicName(name)).toBe(true);
  });
});

describe("a crash", () => {
  const dead = () => Object.assign(new Error("the process is dead"), { code: "EIO" });

  /** Runs something that dies at its nth step, for every n, and looks at what is left. */
  async function atEveryStep(
    prepare: (volume: Awaited<ReturnType<typeof openTestVolume>>) => Promise<TopicDescription | undefined>,
    work: (volume: Awaited<ReturnType<typeof openTestVolume>>, topic: TopicDescription | undefined) => Promise<unknown>,
    check: (left: TopicDescription[], fileSystem: LosingFileSystem) => Promise<void>,
  ): Promise<void> {
    for (let steps = 0; ; steps++) {
      const fileSystem = new LosingFileSystem();
      const volume = await openTestVolume(fileSystem);
      const topic = await prepare(volume);
      let left = steps;
      fileSystem.before = () => {
        if (left-- <= 0) throw dead();
      };
      await work(volume, topic).catch(() => undefined);
      // What it does in the background dies as well.
      await volume.close();
      fileSystem.before = () => undefined;
      for (const after of [fileSystem.killed(), fileSystem.crashed(), fileSystem.crashed(() => 1)]) {
        await check(await topicsOf(after), after);
      }
      if (left > 0) break;
    }
  }

  test("while a topic is created leaves all of it or nothing", async () => {
    await atEveryStep(
      async () => undefined,
      ({ topics }) => topics.create("t", 3, { a: "b" }),
      async (left, fileSystem) => {
        if (left.length === 0) expect(await list(fileSystem)).toEqual([]);
        else {
          expect(left).toMatchObject([{ name: "t", partitionCount: 3, overrides: { a: "b" } }]);
          expect(await list(fileSystem, "/data/t")).toEqual([".config.json", ".topic-id.json", "0", "1", "2"]);
        }
      },
    );
  });

  test("while a topic is deleted leaves all of it or nothing", async () => {
    await atEveryStep(
      ({ topics }) => topics.create("t", 2, {}),
      ({ topics }, topic) => topics.delete(topic as TopicDescription),
      async (left, fileSystem) => {
        if (left.length === 0) expect(await list(fileSystem)).toEqual([]);
        else expect(await list(fileSystem, "/data/t")).toEqual([".config.json", ".topic-id.json", "0", "1"]);
      },
    );
  });

  test("while a topic grows or is configured leaves it as it was or as it shall be", async () => {
    const old = { partitionCount: 2, overrides: { old: "1" } };
    await atEveryStep(
      ({ topics }) => topics.create("t", old.partitionCount, old.overrides),
      ({ topics }, topic) => topics.createPartitions(topic as TopicDescription, 5),
      async ([left]) =>
        expect([{ ...old }, { ...old, partitionCount: 5 }]).toContainEqual({
          partitionCount: left?.partitionCount,
          overrides: left?.overrides,
        }),
    );
    await atEveryStep(
      ({ topics }) => topics.create("t", old.partitionCount, old.overrides),
      ({ topics }, topic) => topics.configure(topic as TopicDescription, { fresh: "2" }),
      async ([left]) => expect([old.overrides, { fresh: "2" }]).toContainEqual(left?.overrides),
    );
  });
});

describe("a directory", () => {
  test("that no broker stamped is adopted, and keeps its id", async () => {
    const fileSystem = new LosingFileSystem();
    await openTestVolume(fileSystem);
    for (const path of ["/data/restored", "/data/restored/0", "/data/restored/1"]) await fileSystem.makeDirectory(path);
    const [adopted] = await topicsOf(fileSystem);
    expect(adopted).toMatchObject({ name: "restored", partitionCount: 2, overrides: {} });
    expect(await topicsOf(fileSystem.crashed(() => 1))).toEqual([adopted]);
  });

  test("that is none of ours is left alone", async () => {
    const fileSystem = new LosingFileSystem();
    await openTestVolume(fileSystem);
    const foreign = ["lost+found", ".snapshot", "empty", ".nfs0001"];
    for (const name of foreign) await fileSystem.makeDirectory(`/data/${name}`);
    await fileSystem.makeDirectory("/data/.snapshot/0");
    const file = await fileSystem.open("/data/notes.txt", "create");
    await file.close();
    expect(await topicsOf(fileSystem)).toEqual([]);
    expect(await list(fileSystem)).toEqual([...foreign, "notes.txt"].sort());
    expect(await list(fileSystem, "/data/.snapshot")).toEqual(["0"]);
  });

  test("whose configuration is not readable is named and not served, until it is; the others are", async () => {
    const fileSystem = new LosingFileSystem();
    const first = await openTestVolume(fileSystem);
    const broken = await first.topics.create("broken", 1, {});
    const whole = await first.topics.create("whole", 1, {});
    await first.close();
    const right = await fileSystem.readFile("/data/broken/.config.json");
    fileSystem.garble("/data/broken/.config.json", () => Buffer.from('{"format":1,"partitionCount":"2"}'));
    const log = recordingLog();
    const { topics, clock } = await openTestVolume(fileSystem, { log });
    expect([...topics.topics()]).toMatchObject([whole]);
    const errors = log.lines.filter(({ level }) => level === "error");
    expect(errors).toMatchObject([{ fields: { topic: "broken", err: { code: "KAAS_VOLUME_INVALID" } } }]);
    expect(errors[0]?.fields).toMatchObject({
      err: { message: expect.stringMatching(/^\/data\/broken\/\.config\.json is not usable: partitionCount/) },
    });
    await expect(topics.create("broken", 1, {})).rejects.toMatchObject({ code: "KAAS_TOPIC_CONFLICT" });
    const listener = hearing();
    topics.addListener(listener);
    clock.advance(10_000);
    await topics.create("later", 1, {});
    expect(listener.heard).toEqual(["later has 1"]);
    fileSystem.garble("/data/broken/.config.json", () => right);
    await vi.waitFor(
      () => {
        clock.advance(10_000);
        expect(listener.heard).toEqual(["later has 1", "broken has 1"]);
      },
      { timeout: 60_000 },
    );
    expect([...topics.topics()]).toContainEqual(expect.objectContaining(broken));
    expect(log.lines.filter(({ level }) => level === "error")).toHaveLength(1);
  });
});

describe("deleting a topic whose partitions are open", () => {
  test("closes their files before they go, and answers what waits", async () => {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    const openBefore = fileSystem.openHandles;
    const log = await volume.partition({ segmentBytes: 1 });
    for (let n = 0; n < 5; n++) await log.append(values([`${n}`]), -1);
    let openAtRemoval = -1;
    fileSystem.before = (operation, path) => {
      if (operation === "unlink" && path.endsWith(".log")) openAtRemoval = fileSystem.openHandles;
    };
    const [topic] = [...volume.topics.topics()] as [TopicDescription];
    const append = log.append(values(["late"]), -1);
    await volume.topics.delete(topic);
    expect((await append).errorCode).toBe(3);
    expect((await log.append(values(["later"]), -1)).errorCode).toBe(3);
    const again = await volume.topics.create("t", 1, {});
    await volume.settled();
    expect(openAtRemoval).toBe(openBefore);
    const fresh = await volume.logs.open({ topic: "t", topicId: again.id, partition: 0 }, defaultLogConfig);
    expect([fresh.logEndOffset, fresh.leaderEpoch]).toEqual([0, 0]);
    const stale = volume.logs.open({ topic: "t", topicId: topic.id, partition: 0 }, defaultLogConfig);
    await expect(stale).rejects.toMatchObject({ code: "KAAS_TOPIC_CONFLICT" });
  });
});

describe("topics that others make and delete", () => {
  const shared = (fileSystem: LosingFileSystem, brokerName: string) =>
    openTestVolume(fileSystem, { sharing: "shared", brokerName });

  test("are discovered; whoever is asked for one that changed reads it again", async () => {
    const fileSystem = new LosingFileSystem();
    const { topics: theirs } = await shared(fileSystem, "kaas-0");
    const kept = await theirs.create("kept", 1, {});
    const { topics } = await shared(fileSystem, "kaas-1");
    const listener = hearing();
    topics.addListener(listener);
    await theirs.create("new", 2, {});
    await theirs.createPartitions(kept, 3);
    await Promise.all([topics.discover?.(), topics.discover?.()]);
    expect(listener.heard).toEqual(["new has 2"]);
    await Promise.all([topics.refresh?.("kept"), topics.refresh?.("kept")]);
    expect(listener.heard).toEqual(["new has 2", "kept has 3"]);
    await theirs.delete({ ...kept, partitionCount: 3 });
    await topics.discover?.();
    expect(listener.heard.slice(2)).toEqual(["kept is gone"]);
  });

  test("under a name that was there before, are another topic", async () => {
    const fileSystem = new LosingFileSystem();
    const { topics: theirs } = await shared(fileSystem, "kaas-0");
    const first = await theirs.create("t", 1, {});
    const { topics } = await shared(fileSystem, "kaas-1");
    await theirs.delete(first);
    const second = await theirs.create("t", 1, {});
    await topics.refresh?.("t");
    expect([...topics.topics()].map(({ id }) => id)).toEqual([second.id]);
  });

  test("are let go of at once when they are to be removed, and taken back when they are not", async () => {
    const fileSystem = new LosingFileSystem();
    const { topics: theirs } = await shared(fileSystem, "kaas-0");
    const topic = await theirs.create("t", 1, {});
    const { topics } = await shared(fileSystem, "kaas-1");
    const listener = hearing();
    topics.addListener(listener);
    await topics.retract?.("t", "another");
    expect(listener.heard).toEqual([]);
    await topics.retract?.("t", topic.id);
    await topics.discover?.();
    expect(listener.heard).toEqual(["t is gone"]);
    await topics.reinstate?.("t", topic.id);
    expect(listener.heard).toEqual(["t is gone", "t has 1"]);
  });
});
