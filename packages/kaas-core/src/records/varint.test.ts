import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VarintReader, varintSize, varlongSize, writeVarint, writeVarlong } from "./varint.js";

const int32 = fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff });
const safeInteger = fc.maxSafeInteger();

describe("varint", () => {
  test.each([
    [0, "00"],
    [-1, "01"],
    [1, "02"],
    [63, "7e"],
    [-64, "7f"],
    [64, "8001"],
    [0x7fff_ffff, "feffffff0f"],
    [-0x8000_0000, "ffffffff0f"],
  ])("%d is %s", (value, hex) => {
    const buffer = Buffer.alloc(5);
    const end = writeVarint(buffer, 0, value);
    expect(buffer.toString("hex", 0, end)).toBe(hex);
    expect(varintSize(value)).toBe(end);
    expect(new VarintReader(buffer, 0, end).varint()).toBe(value);
  });

  test("any int32 survives, at the size that was announced", () => {
    fc.assert(
      fc.property(int32, (value) => {
        const buffer = Buffer.alloc(7);
        const end = writeVarint(buffer, 2, value);
        expect(end - 2).toBe(varintSize(value));
        const reader = new VarintReader(buffer, 2, end);
        expect(reader.varint()).toBe(value);
        expect(reader.position).toBe(end);
      }),
    );
  });

  test("more than 32 bits, and bytes that end too early, are refused", () => {
    expect(() => new VarintReader(Buffer.from("ffffffff1f", "hex")).varint()).toThrow("more than 32 bits");
    expect(() => new VarintReader(Buffer.from("ffffffffff00", "hex")).varint()).toThrow("more than 32 bits");
    expect(() => new VarintReader(Buffer.from("ff", "hex")).varint()).toThrow("past the end");
    expect(() => new VarintReader(Buffer.from("ff00", "hex"), 0, 1).varint()).toThrow("past the end");
  });
});

describe("varlong", () => {
  test.each([
    [0, "00"],
    [-1, "01"],
    [0x7fff_ffff, "feffffff0f"],
    [0x8000_0000, "8080808010"],
    [Number.MAX_SAFE_INTEGER, "feffffffffffff1f"],
    [Number.MIN_SAFE_INTEGER, "fdffffffffffff1f"],
    [-(2 ** 63), "ffffffffffffffffff01"],
  ])("%d is %s", (value, hex) => {
    const buffer = Buffer.alloc(10);
    const end = writeVarlong(buffer, 0, value);
    expect(buffer.toString("hex", 0, end)).toBe(hex);
    expect(varlongSize(value)).toBe(end);
    expect(new VarintReader(buffer, 0, end).varlong()).toBe(value);
  });

  test("the largest int64 reads as the nearest number", () => {
    expect(new VarintReader(Buffer.from("feffffffffffffffff01", "hex")).varlong()).toBe(2 ** 63);
  });

  test("any safe integer survives, at the size that was announced", () => {
    fc.assert(
      fc.property(fc.oneof(int32, safeInteger), (value) => {
        const buffer = Buffer.alloc(10);
        const end = writeVarlong(buffer, 0, value);
        expect(end).toBe(varlongSize(value));
        const reader = new VarintReader(buffer, 0, end);
        expect(reader.varlong()).toBe(value);
        expect(reader.position).toBe(end);
      }),
    );
  });

  test("more than 64 bits are refused", () => {
    expect(() => new VarintReader(Buffer.from("ffffffffffffffffff02", "hex")).varlong()).toThrow("more than 64 bits");
    expect(() => new VarintReader(Buffer.from("ffffffffffffffffffff00", "hex")).varlong()).toThrow("64 bits");
  });
});
