import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import * as batch from "./batch.js";
import { decompressedRecords, readRecords } from "./batch-records.js";
import { buildBatch, type RecordInput } from "./build-batch.js";
import { loadCodec } from "./compression/compression.js";
import { crc32c } from "./crc32c.js";
import { deleteHorizonMs, emptiedBatch, retainedBatch } from "./retained-batch.js";

beforeAll(() => loadCodec(batch.Compression.ZSTD));

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
const records: fc.Arbitrary<RecordInput[]> = fc.array(
  fc.record({
    key: bytes,
    value: fc.option(bytes),
    headers: fc.array(fc.record({ key: fc.string(), value: fc.option(bytes) }), { maxLength: 3 }),
    timestamp: fc.integer({ min: -1, max: 4102444800000 }),
  }),
  { minLength: 1, maxLength: 20 },
);

function decoded(buffer: Buffer): object[] {
  const found: object[] = [];
  const record = readRecords(buffer, 0);
  while (record.next()) {
    const { key, value, headers, timestamp, offset } = record;
    found.push({ key, value, headers, timestamp, offset });
  }
  return found;
}

/** Keeps some of the records, as compaction picks them. */
function pick(built: Buffer, kept: readonly boolean[]): { records: Buffer; count: number; maxTimestamp: number } {
  const parts: Buffer[] = [];
  let maxTimestamp = -1;
  const record = readRecords(built, 0);
  while (record.next()) {
    if (kept[record.offsetDelta] !== true) continue;
    parts.push(record.buffer.subarray(record.start, record.end));
    maxTimestamp = Math.max(maxTimestamp, record.timestamp);
  }
  return { records: Buffer.concat(parts), count: parts.length, maxTimestamp };
}

function expectSealed(buffer: Buffer): void {
  expect(batch.batchSize(buffer, 0)).toBe(buffer.length);
  expect(batch.crc(buffer, 0)).toBe(crc32c(buffer, batch.BATCH_CRC_START, buffer.length));
}

const origin = { baseOffset: 100, leaderEpoch: 4, producerId: 5, producerEpoch: 1, baseSequence: 77 } as const;

describe.each(Object.entries(batch.Compression))("batches compressed with %s", (_name, compression) => {
  test("hold what was kept, and cover the same offsets, with and without a horizon", async () => {
    const kept = fc.array(fc.boolean(), { minLength: 20, maxLength: 20 });
    const horizon = fc.option(fc.integer({ min: 0, max: 4102444800000 }), { nil: undefined });
    const logAppendTime = fc.option(fc.constant(1_700_000_000_000), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(records, kept, horizon, logAppendTime, async (all, keep, deleteHorizon, appendTime) => {
        const built = buildBatch(all, { ...origin, compression, logAppendTime: appendTime });
        const picked = pick(built, keep);
        if (picked.count === 0) return;
        const left = await retainedBatch(built, 0, { ...picked, deleteHorizonMs: deleteHorizon });
        expectSealed(left);
        expect(decoded(left)).toEqual(decoded(built).filter((_, index) => keep[index] === true));
        expect(deleteHorizonMs(left, 0)).toBe(deleteHorizon);
        expect(batch.compression(left, 0)).toBe(compression);
        expect(batch.lastOffset(left, 0)).toBe(batch.lastOffset(built, 0));
        expect(batch.baseOffset(left, 0)).toBe(100);
        expect([batch.producerId(left, 0), batch.producerEpoch(left, 0)]).toEqual([5, 1]);
        expect([batch.baseSequence(left, 0), batch.leaderEpoch(left, 0)]).toEqual([77, 4]);
        expect(batch.recordCount(left, 0)).toBe(picked.count);
        // What has a horizon keeps it when it is picked from again.
        if (deleteHorizon === undefined) return;
        const again = await retainedBatch(left, 0, {
          records: decompressedRecords(left, 0),
          count: picked.count,
          maxTimestamp: picked.maxTimestamp,
        });
        expect(decoded(again)).toEqual(decoded(left));
        expect(deleteHorizonMs(again, 0)).toBe(deleteHorizon);
      }),
      { numRuns: 40 },
    );
  });

  test("emptied, say what their producer sent last", () => {
    const built = buildBatch([{ key: Buffer.from("a"), timestamp: 5 }, { timestamp: 9 }], { ...origin, compression });
    const empty = emptiedBatch(built, 0);
    expectSealed(empty);
    expect(empty.length).toBe(batch.BATCH_HEADER_BYTES);
    expect(decoded(empty)).toEqual([]);
    expect([batch.baseOffset(empty, 0), batch.lastOffset(empty, 0)]).toEqual([100, 101]);
    expect([batch.baseSequence(empty, 0), batch.recordCount(empty, 0)]).toEqual([77, 0]);
    expect([batch.baseTimestamp(empty, 0), batch.maxTimestamp(empty, 0)]).toEqual([-1, 9]);
    expect(batch.compression(empty, 0)).toBe(batch.Compression.NONE);
  });
});
