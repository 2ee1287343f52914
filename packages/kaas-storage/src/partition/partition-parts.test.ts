import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EpochTable } from "./epoch-table.js";
import { Fifo } from "./fifo.js";
import { epochFileName } from "../leadership/epoch-names.js";
import { manifestName, offsetFileName, parsePartitionFile, segmentFileName } from "./file-names.js";
import { OffsetIndex } from "./offset-index.js";
import { TimeIndex } from "./time-index.js";

describe("file names", () => {
  test("say what they are, and sort as they count", () => {
    const name = offsetFileName(5, 1_000, "log");
    expect(name).toBe("00000005-00000000000000001000.log");
    expect(parsePartitionFile(name)).toEqual({ kind: "log", epoch: 5, number: 1_000 });
    expect(parsePartitionFile(epochFileName(7, "released"))).toEqual({ kind: "released", epoch: 7, number: 0 });
    const cleaned = segmentFileName(5, 1_000, 3, "timeindex");
    expect(cleaned).toBe("00000005-00000000000000001000-00000003.timeindex");
    expect(parsePartitionFile(cleaned)).toEqual({ kind: "timeindex", epoch: 5, number: 1_000, generation: 3 });
    expect(segmentFileName(5, 1_000, 0, "log")).toBe(name);
    expect(parsePartitionFile(manifestName(3, 12))).toEqual({ kind: "manifest", epoch: 3, number: 12 });
    expect(offsetFileName(1, Number.MAX_SAFE_INTEGER, "index") > offsetFileName(1, 9, "index")).toBe(true);
  });

  test("that are not ours say nothing", () => {
    for (const name of [
      "manifest.json",
      "producer-state.snapshot",
      "recovery-checkpoint.json",
      "00000005.log",
      "00000005-00000012.claim",
      "00000005-00000012.log",
      "00000005-00000000000000001000.manifest.json",
      "5-1.log",
      "00000005-00000000000000001000-00000000.log",
      "00000005-00000000000000001000-00000003.snapshot",
      ".nfs00000005",
      "00000005-00000000000000001000.log.bak",
    ]) {
      expect(parsePartitionFile(name)).toBeUndefined();
    }
  });
});

const ascending = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 5_000 })), { maxLength: 60 })
  .map((steps) => {
    let offset = 0;
    let position = 0;
    return steps.map(([byOffset, byPosition]) => {
      offset += byOffset;
      position += byPosition;
      return [offset, position] as const;
    });
  });

describe("the offset index", () => {
  test("finds the last entry at or before an offset, before and after it was on disk", () => {
    fc.assert(
      fc.property(ascending, fc.nat(3_000), (entries, offset) => {
        const index = new OffsetIndex(1);
        for (const [at, position] of entries) index.append(at, position);
        const expected = entries.findLast(([at]) => at <= offset)?.[1] ?? 0;
        expect(index.positionFor(offset)).toBe(expected);
        const size = (entries.at(-1)?.[1] ?? 0) + 1;
        expect(OffsetIndex.decode(index.encode(), size)?.positionFor(offset)).toBe(expected);
        if (entries.length > 0) expect(OffsetIndex.decode(index.encode(), size - 1)).toBeUndefined();
      }),
    );
  });

  test("takes no junk for an index", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (junk) => {
        const index = OffsetIndex.decode(Buffer.from(junk), 1_000);
        if (index !== undefined) expect([...index.encode()]).toEqual([...junk]);
      }),
    );
  });
});

describe("the time index", () => {
  test("never leads past the first record that is young enough, before and after it was on disk", () => {
    const batches = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(
        batches,
        fc.integer({ min: 0, max: 41 }),
        fc.integer({ min: 1, max: 5 }),
        (times, wanted, interval) => {
          const index = new TimeIndex();
          let largest = -1;
          let largestAt = 0;
          for (const [offset, time] of times.entries()) {
            if (time > largest) {
              largest = time;
              largestAt = offset;
            }
            if (offset % interval === 0) index.append(largest, largestAt);
          }
          const first = times.findIndex((time) => time >= wanted);
          for (const one of [index, TimeIndex.decode(index.encode(), times.length)]) {
            const start = one?.startFor(wanted) ?? Number.NaN;
            if (first >= 0) expect(start).toBeLessThanOrEqual(first);
            else expect(start).toBeLessThan(times.length);
          }
        },
      ),
    );
  });
});

describe("the epoch table", () => {
  test("forgets what the log start has passed", () => {
    const table = new EpochTable([
      { epoch: 1, startOffset: 0 },
      { epoch: 2, startOffset: 10 },
      { epoch: 5, startOffset: 20 },
    ]);
    table.truncateBefore(12);
    expect(table.entries()).toEqual([
      { epoch: 2, startOffset: 12 },
      { epoch: 5, startOffset: 20 },
    ]);
    expect(table.endOffset(1, 30)).toEqual({ epoch: 1, endOffset: 12 });
    expect(table.endOffset(3, 30)).toEqual({ epoch: 2, endOffset: 20 });
    expect(table.endOffset(5, 30)).toEqual({ epoch: 5, endOffset: 30 });
    table.begin(6, 20);
    expect(table.entries().map(({ epoch }) => epoch)).toEqual([2, 6]);
    table.truncateBefore(20);
    expect(table.entries()).toEqual([{ epoch: 6, startOffset: 20 }]);
  });
});

test("a fifo gives what it was given, in order", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -3, max: 900 }), { maxLength: 30 }), (steps) => {
      const fifo = new Fifo<number>();
      const model: number[] = [];
      let next = 0;
      for (const step of steps) {
        for (let n = 0; n < step; n++) {
          fifo.push(next);
          model.push(next++);
        }
        const taken = step < 0 ? 1_100 : Math.floor(step / 2);
        for (let n = 0; n < taken; n++) expect(fifo.shift()).toBe(model.shift());
        expect([fifo.length, fifo.at(0), fifo.at(3)]).toEqual([model.length, model[0], model[3]]);
      }
    }),
  );
});
