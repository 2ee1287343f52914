import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { values } from "../testing/batches.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, recordingLog } from "../testing/open-test-volume.js";
import { consumeCommitted, TestProducer } from "../testing/transactions.js";
import { AbortedIndex, type AbortedRange } from "./aborted-index.js";

/** Transactions as some producers interleave them, in the order of their ends, with true last stable offsets. */
const aborted = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom("send", "send", "commit", "abort")), {
    maxLength: 80,
  })
  .map((steps) => {
    const open = new Map<number, number>();
    const found: AbortedRange[] = [];
    for (const [offset, [producerId, what]] of steps.entries()) {
      const firstOffset = open.get(producerId);
      if (what === "send" && firstOffset === undefined) open.set(producerId, offset);
      if (what === "send") continue;
      open.delete(producerId);
      if (what === "commit" || firstOffset === undefined) continue;
      const lastStableOffset = Math.min(offset + 1, ...open.values());
      found.push({ producerId, firstOffset, lastOffset: offset, lastStableOffset });
    }
    return { found, stable: Math.min(steps.length, ...open.values()), end: steps.length };
  });

describe("an index of aborted transactions", () => {
  test("finds what overlaps a range, before and after it was on disk", () => {
    fc.assert(
      fc.property(aborted, fc.nat(80), fc.nat(80), ({ found, stable, end }, one, other) => {
        const to = Math.min(stable, Math.max(one, other));
        const from = Math.min(one, other, to);
        const index = AbortedIndex.of(found);
        const expected = found.filter(({ firstOffset, lastOffset }) => firstOffset < to && lastOffset >= from);
        for (const each of [index, AbortedIndex.decode(index.encode(), 0, end)]) {
          const collected: AbortedRange[] = [];
          each?.collect(from, to, collected);
          expect(collected).toEqual(expected);
        }
      }),
    );
  });

  test("is cut into pieces that are the whole", () => {
    fc.assert(
      fc.property(aborted, fc.nat(80), ({ found }, at) => {
        const index = AbortedIndex.of(found);
        const copy = index.within(0, at);
        const taken = index.takeBelow(at);
        expect(copy.entries()).toEqual(taken.entries());
        expect([...taken.entries(), ...index.entries()]).toEqual(found);
        const next = { producerId: 9, firstOffset: 90, lastOffset: 91, lastStableOffset: 92 };
        index.append(next);
        taken.append(next);
        expect([index.entries().at(-1), taken.entries().at(-1)]).toEqual([next, next]);
      }),
    );
  });

  test("has the bytes of Apache Kafka's, which anything else is not", () => {
    const entry = { producerId: 0x0102_0304_0506, firstOffset: 5, lastOffset: 9, lastStableOffset: 7 };
    const bytes = AbortedIndex.of([entry]).encode();
    expect(bytes.toString("hex")).toBe(
      `0000${"0000010203040506"}${"0000000000000005"}${"0000000000000009"}${"0000000000000007"}`,
    );
    const decode = (change: (copy: Buffer) => Buffer, base = 6, next = 10) =>
      AbortedIndex.decode(change(Buffer.from(bytes)), base, next)?.entries();
    expect(decode((copy) => copy)).toEqual([entry]);
    expect(decode((copy) => copy, 10, 20)).toBeUndefined();
    expect(decode((copy) => copy, 0, 9)).toBeUndefined();
    expect(decode((copy) => copy.subarray(1))).toBeUndefined();
    expect(decode((copy) => Buffer.concat([copy, copy]))).toBeUndefined();
    for (const [at, value] of [
      [1, 1],
      [2, 0x80],
      [17, 10],
      [33, 11],
    ] as const) {
      expect(decode((copy) => copy.fill(value, at, at + 1))).toBeUndefined();
    }
  });
});

describe("the index of a segment", () => {
  const path = "/data/t/0/00000000-00000000000000000000.txnindex";

  /** A segment with aborted transactions of which one ends in the next, and a read of all of it. */
  async function written(): Promise<{ fileSystem: LosingFileSystem; expected: unknown; bytes: Buffer }> {
    const fileSystem = new LosingFileSystem();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition({ segmentBytes: 700 });
    const [one, two] = [new TestProducer(1), new TestProducer(2)];
    for (let n = 0; n < 4; n++) {
      await one.send(log, `a${n}`);
      await two.send(log, `b${n}`);
      await one.end(log, false);
      if (n > 1) await two.end(log, n === 3);
    }
    const expected = await consumeCommitted(log);
    await volume.close();
    return { fileSystem, expected, bytes: await fileSystem.readFile(path) };
  }

  test("is written when the segment is closed, and believed when it is read", async () => {
    const { fileSystem, expected, bytes } = await written();
    expect(AbortedIndex.decode(bytes, 0, 100)?.entries().at(0)).toEqual({
      producerId: 1,
      firstOffset: 0,
      lastOffset: 2,
      lastStableOffset: 1,
    });
    const log = recordingLog();
    const again = await (await openTestVolume(fileSystem.crashed(), { log })).partition();
    expect(await consumeCommitted(again)).toEqual(expected);
    expect(log.lines.filter(({ level }) => level === "warn")).toEqual([]);
  });

  test.each([
    ["missing", undefined],
    ["cut", (content: Buffer) => content.subarray(0, AbortedIndex.ENTRY_BYTES)],
    ["garbled", (content: Buffer) => content.fill(0xff, 20, 24)],
  ])("that is %s is made anew, the same to the byte", async (_, change) => {
    const { fileSystem, expected, bytes } = await written();
    if (change === undefined) await fileSystem.unlink(path);
    else fileSystem.garble(path, change);
    const log = recordingLog();
    const volume = await openTestVolume(fileSystem, { log });
    const again = await volume.partition();
    expect(await consumeCommitted(again)).toEqual(expected);
    expect(await fileSystem.readFile(path)).toEqual(bytes);
    const warnings = log.lines.filter(({ level }) => level === "warn");
    expect(warnings).toMatchObject([{ fields: { topic: "t", partition: 0, file: path } }]);
  });

  test("is right even while it cannot be written", async () => {
    const { fileSystem, expected } = await written();
    await fileSystem.unlink(path);
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition();
    fileSystem.before = (operation, name) => {
      if (operation === "open" && name.includes("/tmp-")) throw Object.assign(new Error("EROFS"), { code: "EROFS" });
    };
    expect(await consumeCommitted(log)).toEqual(expected);
  });

  test("that cannot be read fails the read, and no more than that", async () => {
    const { fileSystem, expected } = await written();
    const log = await (await openTestVolume(fileSystem)).partition();
    fileSystem.before = (operation, name) => {
      if (operation === "read" && name === path) throw Object.assign(new Error("EIO"), { code: "EIO" });
    };
    const options = { maxBytes: 1e6, minOneBatch: true, isolation: "read_committed" } as const;
    expect((await log.read(0, options)).errorCode).toBe(56);
    fileSystem.before = () => undefined;
    expect(await consumeCommitted(log)).toEqual(expected);
  });

  test("is swept with its segment", async () => {
    const { fileSystem } = await written();
    const volume = await openTestVolume(fileSystem);
    const log = await volume.partition({ fileDeleteDelayMs: 0 });
    await log.deleteRecords(-1);
    await volume.logs.enforceRetention();
    volume.clock.advance(1);
    await volume.logs.enforceRetention();
    expect((await fileSystem.list("/data/t/0")).filter(({ name }) => name.endsWith(".txnindex"))).toEqual([]);
  });
});

test("a volume that was written before there were transactions is opened as one without", async () => {
  const fileSystem = new LosingFileSystem();
  const volume = await openTestVolume(fileSystem);
  const log = await volume.partition({ segmentBytes: 1 });
  for (let n = 0; n < 3; n++) {
    await log.append(values([`${n}`], { producerId: 1, producerEpoch: 0, baseSequence: n }), -1);
  }
  await volume.close();
  for (const { name } of await fileSystem.list("/data/t/0")) {
    if (!/released$|snapshot$|seal$/.test(name)) continue;
    fileSystem.garble(`/data/t/0/${name}`, (content) => {
      const without = content
        .toString()
        .replace(/,\s*"(abortedEntries|transactionStartOffset|aborted)":\s*(-?\d+|\[\])/g, "");
      if (!name.endsWith("seal")) expect(without.length).toBeLessThan(content.length);
      return Buffer.from(without);
    });
  }
  const warned = recordingLog();
  const again = await (await openTestVolume(fileSystem, { log: warned })).partition();
  expect(await consumeCommitted(again)).toHaveLength(3);
  expect(again.producers()).toMatchObject([{ lastSequence: 2, currentTransactionStartOffset: -1 }]);
  expect(warned.lines.filter(({ level }) => level !== "info")).toEqual([]);
});
