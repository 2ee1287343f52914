import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { ErrorCode } from "@kaas/core";
import { expect, test } from "vitest";
import { posixFileSystem } from "./file-system/posix.js";
import { consume, values } from "./testing/batches.js";
import { openTestVolume } from "./testing/open-test-volume.js";

test.each([tmpdir(), "/dev/shm"])(
  "two brokers share a directory in %s: the one that takes over ends the other",
  async (parent) => {
    const directory = await mkdtemp(`${parent}/kaas-sharing-`);
    const open = (brokerName: string) =>
      openTestVolume(posixFileSystem, { directory, sharing: "shared", brokerName, usableBytesMin: 0 });
    try {
      const first = await open("kaas-0");
      const old = await first.partition();
      for (const text of ["a", "b"]) expect((await old.append(values([text]), -1)).errorCode).toBe(ErrorCode.NONE);
      const journal = await first.slotJournals.open("groups", 0);
      await journal.append("offset");
      const second = await open("kaas-1");
      const log = await second.partition();
      expect((await consume(log)).map(({ value }) => value)).toEqual(["a", "b"]);
      expect((await second.slotJournals.open("groups", 0)).recovered().entries).toEqual(["offset"]);
      expect((await old.append(values(["late"]), -1)).errorCode).toBe(ErrorCode.NOT_LEADER_OR_FOLLOWER);
      expect(await first.fenced).toMatchObject({ code: "KAAS_FENCED" });
      expect([first.status(), second.status()]).toEqual(["fenced", "ok"]);
      expect((await log.append(values(["c"]), -1)).baseOffset).toBe(2);
      await first.close();
      await second.close();
      const third = await open("kaas-0");
      expect((await consume(await third.partition())).map(({ value }) => value)).toEqual(["a", "b", "c"]);
      await third.close();
    } finally {
      await rm(directory, { recursive: true });
    }
  },
);

test("brokers that share a volume need names, and names that can be directories", async () => {
  const invalid = { code: "KAAS_CONFIG_INVALID" };
  await expect(openTestVolume(posixFileSystem, { sharing: "shared" })).rejects.toMatchObject(invalid);
  await expect(openTestVolume(posixFileSystem, { brokerName: "../x" })).rejects.toMatchObject(invalid);
});
