import { describe, expect, test } from "vitest";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { TestRandom } from "../testing/test-clock.js";
import { claimFile } from "./durable-files.js";

const mine = Buffer.from("mine");
const lost = (code: string) => Object.assign(new Error(code), { code });

/** A file system whose links happen, and whose answers to them are wrong. */
class Forgetful extends LosingFileSystem {
  code = "EEXIST";

  override async link(existing: string, path: string): Promise<void> {
    await super.link(existing, path);
    throw lost(this.code);
  }
}

async function files<Kind extends LosingFileSystem>(fileSystem: Kind) {
  await fileSystem.makeDirectory("/d");
  await fileSystem.syncDirectory("/");
  return { fileSystem, random: new TestRandom() };
}

describe("a claim by link", () => {
  test("is won by one, and durable", async () => {
    const where = await files(new LosingFileSystem());
    expect(await claimFile(where, "/d", "name", mine)).toBe(true);
    expect(await claimFile(where, "/d", "name", Buffer.from("theirs"))).toBe(false);
    const after = where.fileSystem.crashed();
    expect(await after.readFile("/d/name")).toEqual(mine);
    expect(await where.fileSystem.list("/d")).toEqual([{ name: "name", isDirectory: false }]);
  });

  test.each(["EEXIST", "EIO", "ENOENT"])(
    "whose answer is a lost or repeated one (%s) is settled by what is there",
    async (code) => {
      const fileSystem = new Forgetful();
      fileSystem.code = code;
      const where = await files(fileSystem);
      expect(await claimFile(where, "/d", "name", mine)).toBe(true);
      expect(await fileSystem.list("/d")).toEqual([{ name: "name", isDirectory: false }]);
    },
  );

  test("that failed says so, and leaves nothing", async () => {
    const where = await files(new LosingFileSystem());
    where.fileSystem.before = (operation) => {
      if (operation === "link") throw lost("EIO");
    };
    await expect(claimFile(where, "/d", "name", mine)).rejects.toMatchObject({ code: "EIO" });
    expect(await where.fileSystem.list("/d")).toEqual([]);
  });
});
