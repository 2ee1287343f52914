import type { LogConfig } from "@kaas/core";
import { expect, test } from "vitest";
import { contentOf, keyed } from "../testing/keyed-records.js";
import { type Keep, LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume } from "../testing/open-test-volume.js";

const compacted: Partial<LogConfig> = {
  cleanupPolicy: { delete: false, compact: true },
  segmentBytes: 1,
  minCleanableDirtyRatio: 0,
  fileDeleteDelayMs: 0,
};

const RECORDS = ["0 a=0", "1 x=0", "2 a=1", "3 x=1", "4 a=2", "5 x=2", "6 b=2", "7 b=3"];
/** After the group of the first segment was swapped, of the second, … */
const OUTCOMES = [
  RECORDS,
  RECORDS.filter((one) => !one.startsWith("0") && !one.startsWith("1")),
  RECORDS.filter((one) => !/^[0123]/.test(one)),
];

/** What is left of names and bytes that were not fsynced. */
const keeps: readonly (readonly [string, Keep])[] = [
  ["nothing", () => 0],
  ["everything", (_what, count) => count],
  ["names of documents only", (what, _count, name) => (what === "name" && name.endsWith(".json") ? 1 : 0)],
  ["names only", (what) => (what === "name" ? 1 : 0)],
  ["bytes only", (what, count) => (what === "bytes" ? count : 0)],
  ["half of the bytes", (what, count) => (what === "bytes" ? count >> 1 : 1)],
];

test.each(keeps)(
  "whenever the machine stops, the log is old or new, and what is not in force is swept: left is %s",
  async (_what, keep) => {
    let isSurvived = false;
    const seen = new Set<string>();
    for (let steps = 0; !isSurvived; steps++) {
      const fileSystem = new LosingFileSystem();
      const volume = await openTestVolume(fileSystem);
      const log = await volume.partition(compacted);
      await log.append(
        keyed([
          ["a", "0"],
          ["x", "0"],
        ]),
        -1,
      );
      await log.append(
        keyed([
          ["a", "1"],
          ["x", "1"],
        ]),
        -1,
      );
      await log.append(
        keyed([
          ["a", "2"],
          ["x", "2"],
          ["b", "2"],
        ]),
        -1,
      );
      await log.append(keyed([["b", "3"]]), -1);
      await volume.logs.enforceRetention();
      let left = steps;
      fileSystem.before = () => {
        if (left-- <= 0) throw Object.assign(new Error("the machine is dead"), { code: "EIO" });
      };
      await volume.logs.compact();
      volume.clock.advance(0);
      for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
      isSurvived = left > 0;

      const crashed = fileSystem.crashed(keep);
      const again = await openTestVolume(crashed);
      const recovered = await again.partition({ ...compacted, cleanupPolicy: { delete: false, compact: false } });
      const found = (await contentOf(recovered)).records.map(({ offset, key, value }) => `${offset} ${key}=${value}`);
      expect(OUTCOMES).toContainEqual(found);
      expect(recovered.logEndOffset).toBe(8);
      seen.add(found.join());
      await again.logs.enforceRetention();
      const names = (await crashed.list("/data/t/0")).map(({ name }) => name);
      const segments = names.filter((name) => name.endsWith(".log"));
      expect(segments).toHaveLength(4 - (RECORDS.length - found.length) / 2);
      expect(names.filter((name) => name.startsWith("tmp-"))).toEqual([]);
      await again.close();
    }
    expect(seen.size).toBe(OUTCOMES.length);
  },
);
