import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ErrorCode } from "../errors/error-codes.js";
import * as batch from "./batch.js";
import { buildBatch, sealBatch } from "./build-batch.js";
import { type BatchRules, validateBatch } from "./validate-batch.js";

const client: BatchRules = { maxMessageBytes: 1000, origin: "client" };
const coordinator: BatchRules = { maxMessageBytes: 1000, origin: "coordinator" };
const records = [{ value: Buffer.from("one") }, { value: Buffer.from("two") }];

/** A valid batch, changed, with its checksum made right again. */
function changed(change: (buffer: Buffer) => void, options = {}): Buffer {
  const buffer = buildBatch(records, options);
  change(buffer);
  sealBatch(buffer, 0, buffer.length);
  return buffer;
}

function errorOf(buffer: Buffer, rules = client, end = buffer.length): ErrorCode | undefined {
  return validateBatch(buffer, 0, end, rules)?.errorCode;
}

describe("validateBatch", () => {
  test("accepts what a producer sends, at any place in a buffer", () => {
    const built = buildBatch(records, { producerId: 7, producerEpoch: 0, baseSequence: 0, isTransactional: true });
    const buffer = Buffer.concat([Buffer.from("before"), built, Buffer.from("after")]);
    expect(validateBatch(buffer, 6, buffer.length, client)).toBeUndefined();
    expect(validateBatch(buffer, 6, 6 + built.length, client)).toBeUndefined();
  });

  test("refuses every incomplete batch", () => {
    const built = buildBatch(records);
    for (let size = 0; size < built.length; size++) {
      expect(errorOf(built.subarray(0, size))).toBe(ErrorCode.INVALID_RECORD);
      expect(errorOf(built, client, size)).toBe(ErrorCode.INVALID_RECORD);
    }
  });

  test("takes zeroes for a batch without length, not for one of an old format", () => {
    expect(errorOf(Buffer.alloc(80))).toBe(ErrorCode.CORRUPT_MESSAGE);
  });

  test("refuses any flipped bit but in what the broker sets", () => {
    const built = buildBatch(records);
    fc.assert(
      fc.property(fc.integer({ min: 16 * 8, max: built.length * 8 - 1 }), (bit) => {
        const damaged = Buffer.from(built);
        damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
        expect(errorOf(damaged)).toBeDefined();
      }),
    );
  });

  test.each([
    ["magic 0", ErrorCode.INVALID_RECORD, (b: Buffer) => b.writeInt8(0, 16)],
    ["magic 1", ErrorCode.INVALID_RECORD, (b: Buffer) => b.writeInt8(1, 16)],
    ["magic 3", ErrorCode.CORRUPT_MESSAGE, (b: Buffer) => b.writeInt8(3, 16)],
    ["magic -1", ErrorCode.CORRUPT_MESSAGE, (b: Buffer) => b.writeInt8(-1, 16)],
    ["compression 5", ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, (b: Buffer) => batch.setAttributes(b, 0, 5)],
    ["control", ErrorCode.INVALID_RECORD, (b: Buffer) => batch.setAttributes(b, 0, 0x20)],
    ["append time", ErrorCode.INVALID_TIMESTAMP, (b: Buffer) => batch.setAttributes(b, 0, 0x08)],
    ["delete horizon", ErrorCode.INVALID_RECORD, (b: Buffer) => batch.setAttributes(b, 0, 0x40)],
    ["transactional, no producer", ErrorCode.INVALID_RECORD, (b: Buffer) => batch.setAttributes(b, 0, 0x10)],
    ["no records", ErrorCode.INVALID_RECORD, (b: Buffer) => batch.setRecordCount(b, 0, 0)],
    ["negative count", ErrorCode.INVALID_RECORD, (b: Buffer) => batch.setRecordCount(b, 0, -1)],
    ["too few records", ErrorCode.INVALID_RECORD, (b: Buffer) => batch.setRecordCount(b, 0, 1)],
    ["too many records", ErrorCode.INVALID_RECORD, (b: Buffer) => batch.setRecordCount(b, 0, 3)],
    ["base offset", ErrorCode.INVALID_RECORD, (b: Buffer) => batch.setBaseOffset(b, 0, 1)],
  ])("%s", (_what, expected, change) => {
    expect(errorOf(changed(change))).toBe(expected);
  });

  test("a producer id needs a sequence number", () => {
    expect(errorOf(buildBatch(records, { producerId: 1, producerEpoch: 0 }))).toBe(ErrorCode.INVALID_RECORD);
  });

  test("a count that the records cannot reach", () => {
    const crowded = changed((buffer) => {
      buffer.writeInt32BE(1_000_000 - 1, 23);
      batch.setRecordCount(buffer, 0, 1_000_000);
    });
    expect(errorOf(crowded)).toBe(ErrorCode.INVALID_RECORD);
  });

  test("a count that overflows the offsets", () => {
    const overflowing = changed((buffer) => {
      buffer.writeInt32BE(0x7fff_ffff, 23);
      batch.setRecordCount(buffer, 0, -0x8000_0000);
    });
    expect(errorOf(overflowing)).toBe(ErrorCode.INVALID_RECORD);
  });

  test("a length that no batch has", () => {
    const buffer = buildBatch(records);
    for (const length of [-1, -0x8000_0000, 0, 48]) {
      buffer.writeInt32BE(length, 8);
      expect(errorOf(buffer)).toBe(ErrorCode.CORRUPT_MESSAGE);
    }
  });

  test("a batch beyond max.message.bytes, before its checksum is looked at", () => {
    const large = buildBatch([{ value: Buffer.alloc(1000) }]);
    expect(errorOf(large)).toBe(ErrorCode.MESSAGE_TOO_LARGE);
    expect(errorOf(large, { ...client, maxMessageBytes: large.length })).toBeUndefined();
    expect(errorOf(large, { ...client, maxMessageBytes: large.length - 1 })).toBe(ErrorCode.MESSAGE_TOO_LARGE);
  });

  test("a coordinator may do what clients may not", () => {
    const marker = buildBatch(records, { baseOffset: 9, isControl: true, isTransactional: true, producerId: 1 });
    expect(errorOf(marker, coordinator)).toBeUndefined();
    expect(errorOf(marker, client)).toBe(ErrorCode.INVALID_RECORD);
  });
});
