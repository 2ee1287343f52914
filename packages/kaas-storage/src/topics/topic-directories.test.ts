import { describe, expect, test } from "vitest";
import { MemoryFileSystem } from "../file-system/memory.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { TestRandom } from "../testing/test-clock.js";
import type { FileSystem } from "../file-system/file-system.js";
import { TopicDirectories } from "./topic-directories.js";
import type { PlacedTopic } from "./topic-files.js";

const ID = "AAAAAAAAAAAAAAAAAAAAAA";
const OTHER = "BBBBBBBBBBBBBBBBBBBBBB";

async function volume(fileSystem: FileSystem = new MemoryFileSystem()) {
  for (const path of ["/data", "/fast"]) await fileSystem.makeDirectory(path);
  await fileSystem.syncDirectory("/");
  return { fileSystem, directories: directoriesOf(fileSystem) };
}
const directoriesOf = (fileSystem: FileSystem, seed = 0) =>
  new TopicDirectories({
    directory: "/data",
    furtherDirectories: ["/fast"],
    fileSystem,
    random: new TestRandom(seed),
  });
const topic = (more: Partial<PlacedTopic> = {}): PlacedTopic => ({
  name: "t",
  id: ID,
  partitionCount: 2,
  overrides: {},
  placement: new Map(),
  ...more,
});
const list = async (fileSystem: FileSystem, path: string) =>
  (await fileSystem.list(path)).map(({ name }) => name).sort();

describe("putting a topic", () => {
  test("makes its directories, on whichever volume they are placed", async () => {
    const { fileSystem, directories } = await volume();
    await directories.put(topic({ placement: new Map([[1, "fast"]]), keptFor: "cluster" }));
    expect(await list(fileSystem, "/data/t")).toEqual([".config.json", ".topic-id.json", "0"]);
    expect(await list(fileSystem, "/fast/t")).toEqual([".topic-id.json", "1"]);
    expect(await directories.find("t")).toEqual({
      ...topic({ placement: new Map([[1, "fast"]]), keptFor: "cluster" }),
      hasConfig: true,
    });
    expect(await directories.names()).toEqual(["t"]);
  });

  test("twice changes nothing", async () => {
    const { fileSystem, directories } = await volume();
    await directories.put(topic());
    const before = await fileSystem.readFile("/data/t/.config.json");
    await directories.put(topic());
    expect(await fileSystem.readFile("/data/t/.config.json")).toEqual(before);
  });

  test("adds partitions, and refuses to have fewer", async () => {
    const { fileSystem, directories } = await volume();
    await directories.put(topic());
    await directories.put(topic({ partitionCount: 3, placement: new Map([[2, "fast"]]) }));
    expect(await list(fileSystem, "/fast/t")).toEqual([".topic-id.json", "2"]);
    await expect(directories.put(topic())).rejects.toMatchObject({ code: "KAAS_TOPIC_CONFLICT" });
    expect((await directories.find("t"))?.partitionCount).toBe(3);
  });

  test("adopts a directory that nobody has stamped, and what is in it", async () => {
    const { fileSystem, directories } = await volume();
    for (const path of ["/data/t", "/data/t/2"]) await fileSystem.makeDirectory(path);
    expect(await directories.find("t")).toMatchObject({ id: undefined, partitionCount: 3, hasConfig: false });
    await directories.put(topic({ partitionCount: 3 }));
    expect(await list(fileSystem, "/data/t")).toEqual([".config.json", ".topic-id.json", "0", "1", "2"]);
    expect(await directories.find("t")).toMatchObject({ id: ID, partitionCount: 3, hasConfig: true });
  });

  test("leaves another topic's directory alone", async () => {
    const { directories } = await volume();
    await directories.put(topic());
    await expect(directories.put(topic({ id: OTHER }))).rejects.toThrow(`is ${ID} on the volume, not ${OTHER}`);
  });

  test("sets a stranger on another volume aside", async () => {
    const { fileSystem, directories } = await volume();
    await directories.put(topic({ placement: new Map([[1, "fast"]]) }));
    await fileSystem.rename("/data/t", "/data/gone");
    await directories.put(topic({ id: OTHER, placement: new Map([[0, "fast"]]) }));
    expect(await list(fileSystem, "/fast/t")).toEqual([".topic-id.json", "0"]);
    expect((await list(fileSystem, "/fast")).filter((name) => name.startsWith(".deleting-t-"))).toHaveLength(1);
  });

  test.each(["__cluster", "..", "a/b", ".deleting-x"])("%s is no topic", async (name) => {
    const { directories } = await volume();
    await expect(directories.put(topic({ name }))).rejects.toMatchObject({ code: "KAAS_TOPIC_CONFLICT" });
    expect(await directories.find(name)).toBeUndefined();
  });

  test("after a crash at any step it is taken up again", async () => {
    const placed = topic({ placement: new Map([[1, "fast"]]) });
    for (let steps = 0; ; steps++) {
      const fileSystem = new LosingFileSystem();
      const { directories } = await volume(fileSystem);
      let left = steps;
      const failing = new Proxy(fileSystem, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== "function") return member;
          return (...args: unknown[]): unknown => {
            if (left-- <= 0) throw new Error("crash");
            return Reflect.apply(member, target, args);
          };
        },
      });
      const crashed = await directoriesOf(failing, 1000)
        .put(placed)
        .then(
          () => false,
          () => true,
        );
      const survivor = directoriesOf(fileSystem.crashed(), 2000);
      await survivor.put(placed);
      expect(await survivor.find("t")).toMatchObject({ id: ID, partitionCount: 2 });
      expect(await survivor.removeSetAside()).toEqual([]);
      void directories;
      if (!crashed) break;
    }
  });
});

describe("setting aside", () => {
  test("takes one incarnation out of sight everywhere, and removal removes it", async () => {
    const { fileSystem, directories } = await volume();
    await directories.put(topic({ placement: new Map([[1, "fast"]]) }));
    expect(await directories.setAside("t", OTHER)).toBe(false);
    expect(await directories.setAside("t", ID)).toBe(true);
    expect(await directories.names()).toEqual([]);
    expect(await list(fileSystem, "/data")).toHaveLength(1);
    expect(await directories.removeSetAside()).toEqual([]);
    expect(await list(fileSystem, "/data")).toEqual([]);
    expect(await list(fileSystem, "/fast")).toEqual([]);
  });

  test("removal goes on past what cannot be removed", async () => {
    const memory = new MemoryFileSystem();
    const { directories } = await volume(memory);
    for (const name of ["a", "b", "c"]) await directories.put(topic({ name }));
    for (const name of ["a", "b", "c"]) await directories.setAside(name, ID);
    const stubborn = new Proxy(memory, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (name !== "removeDirectory") return typeof member === "function" ? member.bind(target) : member;
        return (path: string) =>
          path.includes("deleting-b-") ? Promise.reject(new Error("busy")) : target.removeDirectory(path);
      },
    });
    const failures = await directoriesOf(stubborn, 500).removeSetAside();
    expect(failures).toHaveLength(1);
    expect(failures[0]?.path).toContain("deleting-b-");
    expect((await list(memory, "/data")).map((name) => name.slice(0, 11))).toEqual([".deleting-b"]);
  });

  test("a volume that is missing keeps a topic's last trace", async () => {
    const { fileSystem, directories } = await volume();
    await directories.put(topic({ placement: new Map([[1, "fast"]]) }));
    await fileSystem.rename("/fast", "/unmounted");
    await expect(directories.setAside("t", ID)).resolves.toBe(true);
    await directories.removeSetAside();
    await fileSystem.rename("/unmounted", "/fast");
    await directories.removeSetAside();
    expect(await list(fileSystem, "/fast")).toEqual([]);
  });
});
