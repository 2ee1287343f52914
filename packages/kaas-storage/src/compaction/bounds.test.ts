import type { LogConfig } from "@kaas/core";
import { batch } from "@kaas/core/internal";
import { expect, test } from "vitest";
import { MemoryFileSystem } from "../file-system/memory.js";
import { contentOf, type Keyed, keyed } from "../testing/keyed-records.js";
import { openTestVolume } from "../testing/open-test-volume.js";
import { TestClock } from "../testing/test-clock.js";

const compacted: Partial<LogConfig> = {
  cleanupPolicy: { delete: false, compact: true },
  segmentBytes: 1,
  minCleanableDirtyRatio: 0,
};

/** Time passes by itself: so much with every look at the clock. */
class BusyClock extends TestClock {
  stepMs = 0;
  longestMs = 0;
  breaths = 0;
  #passedMs = 0;
  #sinceBreathMs = 0;

  override monotonic(): number {
    this.#passedMs += this.stepMs;
    this.#sinceBreathMs += this.stepMs;
    this.longestMs = Math.max(this.longestMs, this.#sinceBreathMs);
    return super.monotonic() + this.#passedMs;
  }

  override schedule(delayMs: number, callback: () => void): { cancel(): void } {
    if (delayMs > 0) return super.schedule(delayMs, callback);
    this.breaths++;
    this.#sinceBreathMs = 0;
    const immediate = setImmediate(callback);
    return { cancel: () => clearImmediate(immediate) };
  }
}

test("the event loop is given back every two milliseconds, within a batch as well", async () => {
  const clock = new BusyClock();
  const volume = await openTestVolume(new MemoryFileSystem(), { clock });
  const log = await volume.partition(compacted);
  const many = Array.from({ length: 5_000 }, (_, n): Keyed => [`${n % 2_000}`, "value"]);
  await log.append(keyed(many, { compression: batch.Compression.GZIP }), -1);
  for (let n = 0; n < 40; n++) await log.append(keyed([["a", `${n}`]]), -1);
  // Behind the closing of all these segments.
  await volume.logs.enforceRetention();
  clock.stepMs = 0.5;
  let otherTurns = 0;
  let isDone = false;
  const compaction = volume.logs.compact().then(() => {
    isDone = true;
  });
  while (!isDone) {
    otherTurns++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await compaction;
  clock.stepMs = 0;
  expect((await contentOf(log)).records).toHaveLength(2_002);
  // Both passes look at 5000 records, 64 at a time, four looks to a turn.
  expect(clock.breaths).toBeGreaterThan(30);
  expect(otherTurns).toBeGreaterThan(30);
  // Its fsyncs and looks at the fuse look at the clock as well.
  expect(clock.longestMs).toBeLessThanOrEqual(6);
});

test("memory for keys is bounded: many more keys than fit are compacted in several passes", async () => {
  const volume = await openTestVolume(new MemoryFileSystem(), {
    compaction: () => ({ dedupeBufferBytes: 24 * 100, loadFactor: 0.5 }),
  });
  const log = await volume.partition({ ...compacted, segmentBytes: 5_000 });
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 1_000; n += 50) {
      await log.append(keyed(Array.from({ length: 50 }, (_, at): Keyed => [`${n + at}`, `round ${round}`])), -1);
    }
  }
  await log.append(keyed([["filler", "x".repeat(5_000)]]), -1);
  await volume.logs.compact();
  const { records } = await contentOf(log);
  expect(records).toHaveLength(1_001);
  expect(records.filter(({ value }) => value === "round 1")).toHaveLength(1_000);
});

test("batches that are larger than all buffers are compacted", async () => {
  const volume = await openTestVolume(new MemoryFileSystem(), { compaction: () => ({ ioBufferBytes: 1 }) });
  const log = await volume.partition(compacted);
  for (const compression of Object.values(batch.Compression)) {
    if (compression === batch.Compression.ZSTD) continue;
    const records: Keyed[] = [
      ["large", "x".repeat(200_000)],
      ["a", `${compression}`],
      [`${compression}`, "y".repeat(200_000)],
    ];
    await log.append(keyed(records, { compression }), -1);
  }
  await log.append(keyed([["a", "last"]]), -1);
  await volume.logs.compact();
  const kept = (await contentOf(log)).records.map(({ offset, value }) => [offset, value?.length]);
  expect(kept).toEqual([
    [2, 200_000],
    [5, 200_000],
    [8, 200_000],
    [9, 200_000],
    [10, 1],
    [11, 200_000],
    [12, 4],
  ]);
});
