import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import * as batch from "./batch.js";
import { findTimestamp, keylessRecords, readRecords } from "./batch-records.js";
import { buildBatch, type RecordInput, sealBatch } from "./build-batch.js";
import { loadCodec } from "./compression/compression.js";
import { recompressBatch } from "./recompress-batch.js";
import { validateBatch } from "./validate-batch.js";

const codecs = Object.entries(batch.Compression);
const rules = { maxMessageBytes: 1 << 20, origin: "client" } as const;

beforeAll(() => loadCodec(batch.Compression.ZSTD));

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
const arbitraryRecord: fc.Arbitrary<RecordInput> = fc.record({
  key: fc.option(bytes),
  value: fc.option(bytes),
  headers: fc.array(fc.record({ key: fc.string({ unit: "grapheme" }), value: fc.option(bytes) }), { maxLength: 4 }),
  timestamp: fc.integer({ min: -1, max: 4102444800000 }),
});
const arbitraryRecords = fc.array(arbitraryRecord, { minLength: 1, maxLength: 20 });

function decoded(buffer: Buffer, start = 0): object[] {
  const records: object[] = [];
  const record = readRecords(buffer, start);
  while (record.next()) {
    const { key, value, headers, timestamp, offset } = record;
    records.push({ key, value, headers, timestamp, offset });
  }
  return records;
}

describe.each(codecs)("batches compressed with %s", (_name, compression) => {
  test("what is built is valid, and reads back as it was", () => {
    fc.assert(
      fc.property(arbitraryRecords, fc.nat(), fc.nat(30), (records, baseOffset, shift) => {
        const built = buildBatch(records, { baseOffset, compression });
        const buffer = Buffer.concat([Buffer.alloc(shift), built, Buffer.alloc(3)]);
        expect(validateBatch(built, 0, built.length, { ...rules, origin: "coordinator" })).toBeUndefined();
        expect(batch.batchSize(buffer, shift)).toBe(built.length);
        expect(batch.maxTimestamp(built, 0)).toBe(Math.max(...records.map((record) => record.timestamp ?? 0)));
        const expected = records.map((record, index) => ({ ...record, offset: baseOffset + index }));
        expect(decoded(buffer, shift)).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  test("a recompressed batch holds the same records", () => {
    const built = buildBatch([{ key: Buffer.from("k"), value: Buffer.alloc(5000, "v") }], { baseOffset: 7 });
    const rewritten = recompressBatch(built, 0, compression);
    expect(batch.compression(rewritten, 0)).toBe(compression);
    expect(decoded(rewritten)).toEqual(decoded(built));
    expect(decoded(recompressBatch(rewritten, 0, batch.Compression.NONE))).toEqual(decoded(built));
    expect(validateBatch(rewritten, 0, rewritten.length, { ...rules, origin: "coordinator" })).toBeUndefined();
  });

  test("bytes flipped inside the records are an error or other records, never anything else", () => {
    const records = Array.from({ length: 10 }, (_, index) => ({
      key: Buffer.from([index]),
      value: Buffer.alloc(90, index),
    }));
    const built = buildBatch(records, { compression });
    fc.assert(
      fc.property(fc.nat(built.length - 62), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const damaged = Buffer.from(built);
        damaged[61 + at] = (damaged[61 + at] as number) ^ mask;
        try {
          decoded(damaged);
        } catch (error) {
          expect(error).toMatchObject({ name: "KaasError" });
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("reading records strictly", () => {
  const records = [{ key: Buffer.from("key"), value: Buffer.from("value"), headers: [{ key: "h", value: null }] }];
  const built = buildBatch(records);

  const damage = (at: number, value: number): Buffer => {
    const damaged = Buffer.from(built);
    damaged[at] = value;
    return damaged;
  };

  test.each([
    ["the record's length is too large", damage(61, 0x7e)],
    ["the record's length is too small", damage(61, 0x06)],
    ["the record's length is negative", damage(61, 0x01)],
    ["the key's length runs past the record", damage(65, 0x7e)],
    ["the header count is negative", damage(75, 0x01)],
    ["the header count is too large", damage(75, 0x04)],
    ["a header has no key", damage(76, 0x01)],
  ])("%s", (_what, damaged) => {
    expect(() => decoded(damaged)).toThrow("the records cannot be read");
  });

  test("fewer and more records than the header says", () => {
    const two = buildBatch([...records, ...records]);
    batch.setRecordCount(two, 0, 1);
    expect(() => decoded(two)).toThrow("bytes follow the last record");
    batch.setRecordCount(two, 0, 3);
    expect(() => decoded(two)).toThrow("past the end");
  });
});

describe("finding records by time", () => {
  const at = (timestamp: number): RecordInput => ({ timestamp, value: Buffer.from("v") });
  const built = buildBatch([at(100), at(90), at(120), at(120), at(110)], { baseOffset: 50 });

  test.each([
    [0, 0, { timestamp: 100, offset: 50 }],
    [100, 0, { timestamp: 100, offset: 50 }],
    [101, 0, { timestamp: 120, offset: 52 }],
    [100, 51, { timestamp: 120, offset: 52 }],
    [100, 54, { timestamp: 110, offset: 54 }],
    [121, 0, undefined],
  ])("at or after %d, from offset %d", (timestamp, offsetMin, expected) => {
    expect(findTimestamp(built, 0, timestamp, offsetMin)).toEqual(expected);
  });

  test("the batch's own maximum finds the first record that has it", () => {
    expect(findTimestamp(built, 0, batch.maxTimestamp(built, 0))).toEqual({ timestamp: 120, offset: 52 });
  });

  test("the broker's time is that of every record", () => {
    const stamped = buildBatch([at(1), at(2)], { baseOffset: 5, logAppendTime: 1000 });
    expect(findTimestamp(stamped, 0, 500)).toEqual({ timestamp: 1000, offset: 5 });
    expect(findTimestamp(stamped, 0, 1001)).toBeUndefined();
  });
});

test("records without a key are found by position; an empty key is a key", () => {
  const value = Buffer.from("v");
  const built = buildBatch([{ key: Buffer.alloc(0), value }, { value }, { key: Buffer.from("k"), value }, { value }]);
  expect(keylessRecords(built, 0)).toEqual([1, 3]);
});

test("offsets that are left out are not filled in", () => {
  const built = buildBatch([{ offsetDelta: 2 }, { offsetDelta: 9 }], { baseOffset: 10 });
  expect(decoded(built)).toMatchObject([{ offset: 12 }, { offset: 19 }]);
  expect(batch.lastOffset(built, 0)).toBe(19);
  sealBatch(built, 0, built.length);
  expect(validateBatch(built, 0, built.length, { ...rules, origin: "coordinator" })).toMatchObject({ errorCode: 87 });
});
