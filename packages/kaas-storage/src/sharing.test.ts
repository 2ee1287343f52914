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
      // Topics that another broker makes or deletes are found when they are asked for.
      const later = await second.topics.create("later", 1, {});
      const third = await open("kaas-2");
      await second.topics.delete(later);
      const anew = await second.topics.create("later", 1, {});
      const { defaultLogConfig } = await import("./testing/log-config.js");
      const partition = (topicId: string) =>
        third.logs.open({ topic: "later", topicId, partition: 0 }, defaultLogConfig);
      await expect(partition(later.id)).rejects.toMatchObject({ code: "KAAS_TOPIC_CONFLICT" });
      expect((await partition(anew.id)).leaderEpoch).toBe(0);
      await second.topics.delete(anew);
      await expect(
        third.logs.open({ topic: "later", topicId: later.id, partition: 0 }, defaultLogConfig),
      ).rejects.toThrow();
      await third.close();
      await first.close();
      await second.close();
      const last = await open("kaas-0");
      expect((await consume(await last.partition())).map(({ value }) => value)).toEqual(["a", "b", "c"]);
      await last.close();
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
