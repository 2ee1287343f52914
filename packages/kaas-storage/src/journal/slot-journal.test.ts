import type { Json, KaasError } from "@kaas/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, recordingLog } from "../testing/open-test-volume.js";
import { decodeLines, encodeLine } from "./journal-lines.js";

const DIRECTORY = "/data/__cluster/__consumer_offsets/slot-07";

async function open(fileSystem: LosingFileSystem) {
  const volume = await openTestVolume(fileSystem);
  return { volume, journal: await volume.slotJournals.open("groups", 7) };
}

async function recovered(fileSystem: LosingFileSystem) {
  const { journal } = await open(fileSystem);
  return { epoch: journal.epoch, ...journal.recovered() };
}

const names = async (fileSystem: LosingFileSystem) => (await fileSystem.list(DIRECTORY)).map(({ name }) => name).sort();

describe("a slot", () => {
  test("that was never written has no files", async () => {
    const fileSystem = new LosingFileSystem();
    const { volume, journal } = await open(fileSystem);
    expect(journal.epoch).toBe(0);
    expect(journal.recovered()).toEqual({ snapshot: undefined, entries: [] });
    await volume.close();
    await expect(fileSystem.list("/data/__cluster/__consumer_offsets")).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("keeps entries in order over crashes, and takes them over into each epoch that writes", async () => {
    let fileSystem = new LosingFileSystem();
    const all: Json[] = [];
    for (let epoch = 0; epoch < 4; epoch++) {
      const { volume, journal } = await open(fileSystem);
      expect(journal.epoch).toBe(epoch);
      const before = journal.recovered();
      expect([before.snapshot, before.entries]).toEqual([undefined, all]);
      expect(journal.recovered()).toEqual({ snapshot: undefined, entries: [] });
      const entries = [{ epoch, text: 'ä\n"' }, [epoch, null], epoch];
      await Promise.all(entries.map((entry) => journal.append(entry)));
      all.push(...entries);
      const prefix = `0000000${epoch}`;
      expect(await names(fileSystem)).toEqual([
        `${prefix}-00000000.journal`,
        `${prefix}-00000000.json`,
        `${prefix}.claim`,
      ]);
      if (epoch % 2 === 0) await volume.close();
      fileSystem = fileSystem.crashed();
    }
  });

  test("many entries share an fsync", async () => {
    const fileSystem = new LosingFileSystem();
    const { journal } = await open(fileSystem);
    await journal.append("first");
    let syncs = 0;
    fileSystem.before = (operation) => void (operation === "sync" && syncs++);
    await Promise.all(Array.from({ length: 100 }, (_, n) => journal.append(n)));
    expect(syncs).toBe(1);
  });

  test("replaces snapshot and entries by a new snapshot, and keeps what comes after the call", async () => {
    const fileSystem = new LosingFileSystem();
    const { journal } = await open(fileSystem);
    const writes = [journal.append("a"), journal.append("b")];
    writes.push(journal.writeSnapshot({ state: ["a", "b"] }));
    writes.push(journal.append("c"));
    await Promise.all(writes);
    expect(await recovered(fileSystem.crashed())).toEqual({
      epoch: 1,
      snapshot: { state: ["a", "b"] },
      entries: ["c"],
    });
    await journal.writeSnapshot(null);
    expect(await recovered(fileSystem.crashed())).toEqual({ epoch: 1, snapshot: null, entries: [] });
    expect(await names(fileSystem)).toEqual(["00000000-00000002.journal", "00000000-00000002.json", "00000000.claim"]);
  });

  test("may begin with a snapshot", async () => {
    const fileSystem = new LosingFileSystem();
    const { journal } = await open(fileSystem);
    await journal.writeSnapshot("state");
    expect(await recovered(fileSystem.crashed())).toEqual({ epoch: 1, snapshot: "state", entries: [] });
  });

  test("wants a snapshot once the journal has grown", async () => {
    const { journal } = await open(new LosingFileSystem());
    expect(journal.wantsSnapshot).toBe(false);
    const large = "x".repeat(300_000);
    for (let n = 0; n < 4; n++) await journal.append(large);
    expect(journal.wantsSnapshot).toBe(true);
    await journal.writeSnapshot([large]);
    expect(journal.wantsSnapshot).toBe(false);
  });

  test.each([
    ["no name", []],
    ["names of snapshots", [".json"]],
    ["names of journals", [".journal"]],
    ["all names", [""]],
  ])(
    "loses nothing that was acknowledged, whichever step the power fails at, of what was not fsynced %s being left",
    async (_, ends) => {
      for (let steps = 0; ; steps++) {
        const fileSystem = new LosingFileSystem();
        const first = await open(fileSystem);
        await first.journal.append("zero");
        await first.volume.close();
        const { journal } = await open(fileSystem);
        let stepsLeft = steps;
        fileSystem.before = () => {
          if (stepsLeft-- <= 0) throw Object.assign(new Error("the process is dead"), { code: "EIO" });
        };
        const acknowledged: Json[] = ["zero"];
        const note = (entry: Json) => () => void acknowledged.push(entry);
        await journal.append("one").then(note("one"), () => undefined);
        const state = ["zero", "one"];
        const snapshot = journal.writeSnapshot(state).catch(() => undefined);
        await Promise.all([snapshot, journal.append("two").then(note("two"), () => undefined)]);
        fileSystem.before = () => undefined;
        const left = fileSystem.crashed((what, _count, name) =>
          Number(what === "name" && ends.some((end) => name.endsWith(end))),
        );
        const after = await recovered(left);
        const found = [...((after.snapshot ?? []) as Json[]), ...after.entries];
        expect(found.slice(0, acknowledged.length)).toEqual(acknowledged);
        expect(["zero", "one", "two"].slice(0, found.length)).toEqual(found);
        if (stepsLeft > 0) break;
      }
    },
  );

  test("never forgets what it was recovered with: a kill before the fsync, and a loss of power before the next change", async () => {
    let fileSystem = new LosingFileSystem();
    const { journal } = await open(fileSystem);
    await journal.append(1);
    fileSystem.beforeSync = () => new Promise(() => undefined); // the process is killed before
    void journal.append(2);
    await new Promise((resolve) => setImmediate(resolve));
    fileSystem = fileSystem.killed();
    expect((await recovered(fileSystem)).entries).toEqual([1, 2]);
    expect((await recovered(fileSystem.crashed())).entries).toEqual([1, 2]);
  });

  test("accepts nothing more once a write has failed", async () => {
    for (const operation of ["write", "sync"]) {
      const fileSystem = new LosingFileSystem();
      const { volume, journal } = await open(fileSystem);
      await journal.append("a");
      fileSystem.before = (what, path) => {
        if (what === operation && path.endsWith(".journal")) throw Object.assign(new Error("EIO"), { code: "EIO" });
      };
      const results = await Promise.allSettled([journal.append("b"), journal.append("c")]);
      fileSystem.before = () => undefined;
      results.push(...(await Promise.allSettled([journal.append("d"), journal.writeSnapshot("e")])));
      for (const one of results) expect(one).toMatchObject({ reason: { code: "KAAS_STORAGE_FAILED" } });
      await volume.close();
      expect((await recovered(fileSystem.crashed())).entries).toEqual(["a"]);
    }
  });

  test("says so when it is closed", async () => {
    const { volume, journal } = await open(new LosingFileSystem());
    await volume.close();
    await expect(journal.append("a")).rejects.toMatchObject({ code: "KAAS_CLOSED" });
  });

  test("is one journal for a process: opened again, the one before is closed", async () => {
    const fileSystem = new LosingFileSystem();
    const { volume, journal } = await open(fileSystem);
    await journal.append("a");
    const again = await volume.slotJournals.open("groups", 7);
    expect(again.recovered().entries).toEqual(["a"]);
    await expect(journal.append("b")).rejects.toMatchObject({ code: "KAAS_CLOSED" });
    await again.append("c");
    await volume.close();
    expect(fileSystem.openHandles).toBe(0);
    expect((await recovered(fileSystem)).entries).toEqual(["a", "c"]);
  });

  test("exists within the slot count that the cluster was created with", async () => {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem, { slotCount: 8 });
    expect(volume.slotJournals.slotCount).toBe(8);
    await expect(volume.slotJournals.open("groups", 8)).rejects.toThrow("no slot 8");
    expect((await openTestVolume(fileSystem, { slotCount: 50 })).slotJournals.slotCount).toBe(8);
  });
});

describe("a torn journal", () => {
  const JOURNAL = `${DIRECTORY}/00000000-00000000.journal`;

  async function written(): Promise<LosingFileSystem> {
    const fileSystem = new LosingFileSystem();
    const { journal } = await open(fileSystem);
    await journal.append("one");
    await Promise.all([journal.append("two"), journal.append("three")]);
    return fileSystem.killed();
  }

  test("cut anywhere, it ends with its last whole line", async () => {
    const whole = await (await written()).readFile(JOURNAL);
    for (let length = 0; length <= whole.length; length++) {
      const lines = whole.subarray(0, length).filter((byte) => byte === 0x0a).length;
      const fileSystem = await written();
      fileSystem.garble(JOURNAL, (content) => content.subarray(0, length));
      const log = recordingLog();
      const volume = await openTestVolume(fileSystem, { log });
      const { entries } = (await volume.slotJournals.open("groups", 7)).recovered();
      expect(entries).toEqual(["one", "two", "three"].slice(0, lines));
    }
  });

  test("a bad line of the last group is torn; one that a later group follows is damage", async () => {
    const whole = await (await written()).readFile(JOURNAL);
    const first = whole.indexOf(0x0a);
    for (let at = 0; at < whole.length; at++) {
      const fileSystem = await written();
      fileSystem.garble(JOURNAL, (content) => {
        content[at] = (content[at] as number) ^ 0x02;
        return content;
      });
      const opening = recovered(fileSystem);
      if (at <= first) await expect(opening).rejects.toThrow(/\.journal is damaged at byte 0: entry 1 is not readable/);
      else expect((await opening).entries[0]).toBe("one");
    }
  });

  test("a bad snapshot names the file", async () => {
    const fileSystem = await written();
    fileSystem.garble(`${DIRECTORY}/00000000-00000000.json`, () => Buffer.from('{"format":1}'));
    await expect(recovered(fileSystem)).rejects.toMatchObject({
      code: "KAAS_VOLUME_INVALID",
      message: expect.stringContaining("00000000-00000000.json is not usable: epoch"),
    });
  });
});

describe("a slot that has lost a file", () => {
  const SNAPSHOT = `${DIRECTORY}/00000000-00000001.json`;
  const JOURNAL = `${DIRECTORY}/00000000-00000001.journal`;

  /** A snapshot and three entries, by a process that was killed or that ended in order. */
  async function written(isReleased: boolean): Promise<LosingFileSystem> {
    const fileSystem = new LosingFileSystem();
    const { volume, journal } = await open(fileSystem);
    await journal.append("before");
    await journal.writeSnapshot({ state: "before" });
    for (const entry of ["one", "two", "three"]) await journal.append(entry);
    if (!isReleased) return fileSystem.killed();
    await volume.close();
    return fileSystem;
  }

  test.each([true, false])("does not begin anew without its journal, released: %s", async (isReleased) => {
    const fileSystem = await written(isReleased);
    await fileSystem.unlink(JOURNAL);
    const message = `${JOURNAL} is missing, and 00000000-00000001.json is there: put it back from a backup`;
    await expect(recovered(fileSystem)).rejects.toMatchObject({ code: "KAAS_VOLUME_INVALID", message });
  });

  test.each([true, false])("nor without its snapshot, released: %s", async (isReleased) => {
    const fileSystem = await written(isReleased);
    await fileSystem.unlink(SNAPSHOT);
    const message = `${SNAPSHOT} is missing, and 00000000-00000001.journal has entries: put it back from a backup`;
    await expect(recovered(fileSystem)).rejects.toMatchObject({ code: "KAAS_VOLUME_INVALID", message });
  });

  test("nor with less of its journal than there was when it was handed over", async () => {
    const length = (await (await written(true)).readFile(JOURNAL)).length;
    for (const left of [0, 10, length - 1]) {
      const fileSystem = await written(true);
      fileSystem.garble(JOURNAL, (content) => content.subarray(0, left));
      const message = expect.stringMatching(
        /journal ends at byte \d+, and had \d+ when it was handed over: put it back/,
      );
      await expect(recovered(fileSystem)).rejects.toMatchObject({ code: "KAAS_VOLUME_INVALID", message });
    }
  });

  test("takes a hand-over of an earlier version, which did not say how long its journal was", async () => {
    const fileSystem = await written(true);
    fileSystem.garble(`${DIRECTORY}/00000000.released`, () => Buffer.from('{"format":1,"epoch":0}\n'));
    expect((await recovered(fileSystem)).entries).toEqual(["one", "two", "three"]);
  });

  test("notices any bit of a snapshot that was flipped; one of an earlier version has no checksum", async () => {
    const content = await (await written(true)).readFile(SNAPSHOT);
    const lost: number[] = [];
    for (let at = 0; at < content.length; at++) {
      const fileSystem = await written(true);
      fileSystem.garble(SNAPSHOT, (bytes) => {
        bytes[at] = (bytes[at] as number) ^ 0x04;
        return bytes;
      });
      const found = await recovered(fileSystem).catch((error: unknown) => (error as KaasError).code);
      // The checksum's own name is not covered: everything that is, is what it was.
      if (typeof found !== "string") expect(found).toMatchObject({ snapshot: { state: "before" } });
      else if (found === "KAAS_VOLUME_INVALID") lost.push(at);
    }
    expect(lost.length).toBeGreaterThan(content.length - 15);
    const fileSystem = await written(true);
    const plain = content.toString("utf8").replace(/,"crc32c":"[0-9a-f]+"/, "");
    fileSystem.garble(SNAPSHOT, () => Buffer.from(plain));
    expect((await recovered(fileSystem)).snapshot).toEqual({ state: "before" });
  });
});

describe("journal lines", () => {
  test("hold any JSON, and are read back as it was", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (entries) => {
        const plain = JSON.parse(JSON.stringify(entries)) as Json[];
        const text = plain.map((entry, index) => encodeLine(index + 1, 1, entry)).join("");
        expect(decodeLines(Buffer.from(text), "journal")).toEqual({ entries: plain, tornBytes: 0 });
      }),
    );
  });

  test("never throw anything but KAAS_VOLUME_INVALID on junk", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(200), (junk, at) => {
        const lines = Buffer.from([1, 2, 3].map((n) => encodeLine(n, n, { n })).join(""));
        lines.set(junk.subarray(0, Math.max(0, lines.length - at)), Math.min(at, lines.length));
        try {
          decodeLines(lines, "journal");
        } catch (error) {
          expect(error).toMatchObject({ code: "KAAS_VOLUME_INVALID" });
        }
      }),
    );
  });
});

describe("a slot on a shared volume", () => {
  const join = (fileSystem: LosingFileSystem, brokerName: string) =>
    openTestVolume(fileSystem, { sharing: "shared", brokerName });

  test("is taken over with all that was answered; the one before answers nothing more", async () => {
    const fileSystem = new LosingFileSystem();
    const first = await join(fileSystem, "kaas-0");
    const old = await first.slotJournals.open("groups", 7);
    await old.append("a");
    const second = await join(fileSystem, "kaas-1");
    const taken = await second.slotJournals.open("groups", 7);
    expect(taken.epoch).toBe(old.epoch + 1);
    expect(taken.recovered().entries).toEqual(["a"]);
    await expect(old.append("lost")).rejects.toMatchObject({ code: "KAAS_FENCED" });
    await taken.append("b");
    const third = await join(fileSystem.crashed(), "kaas-2");
    expect((await third.slotJournals.open("groups", 7)).recovered().entries).toEqual(["a", "b"]);
  });

  test("that is handed over costs the one before nothing else", async () => {
    const fileSystem = new LosingFileSystem();
    const first = await join(fileSystem, "kaas-0");
    const old = await first.slotJournals.open("groups", 7);
    const other = await first.slotJournals.open("groups", 8);
    await old.append("a");
    await old.close();
    const second = await join(fileSystem, "kaas-1");
    expect((await second.slotJournals.open("groups", 7)).recovered().entries).toEqual(["a"]);
    await other.append("still mine");
  });

  test("a snapshot of who has been fenced removes nothing", async () => {
    const fileSystem = new LosingFileSystem();
    const first = await join(fileSystem, "kaas-0");
    const old = await first.slotJournals.open("groups", 7);
    await old.append("a");
    await join(fileSystem, "kaas-0"); // the same name again: the one that started last
    let unlinked = 0;
    fileSystem.before = (operation, path) => {
      if (operation === "unlink" && !path.includes("tmp-")) unlinked++;
    };
    await expect(old.writeSnapshot({})).rejects.toMatchObject({ code: "KAAS_FENCED" });
    expect(unlinked).toBe(0);
  });

  test("is opened though an old file cannot be removed", async () => {
    const fileSystem = new LosingFileSystem();
    const first = await join(fileSystem, "kaas-0");
    await (await first.slotJournals.open("groups", 7)).append("a");
    const second = await join(fileSystem, "kaas-1");
    fileSystem.before = (operation, path) => {
      if (operation === "unlink" && path.endsWith(".journal")) throw Object.assign(new Error("EIO"), { code: "EIO" });
    };
    const journal = await second.slotJournals.open("groups", 7);
    fileSystem.before = () => undefined;
    await journal.writeSnapshot("all");
    const names = (await fileSystem.list("/data/__cluster/__consumer_offsets/slot-07")).map(({ name }) => name).sort();
    expect(names).toEqual(["00000001-00000001.journal", "00000001-00000001.json", "00000001.claim"]);
  });
});
