import { describe, expect, test } from "vitest";
import { ARRAY_ELEMENTS_MAX } from "./limits.js";
import { Reader, ZERO_UUID } from "./reader.js";

const hex = (text: string): Reader => new Reader(Buffer.from(text.replaceAll(" ", ""), "hex"));
const malformed = expect.objectContaining({ name: "KaasError", code: "KAAS_WIRE_MALFORMED" });

/** What is thrown, so that its code can be looked at. */
function thrown(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("numbers", () => {
  test.each([
    ["int8", "ff", -1],
    ["uint8", "ff", 255],
    ["int16", "8000", -32768],
    ["uint16", "8000", 32768],
    ["int32", "80000000", -2147483648],
    ["uint32", "80000000", 2147483648],
    ["int64", "0000000000000000", 0],
    ["int64", "ffffffffffffffff", -1],
    ["int64", "fffffffffffffffe", -2],
    ["int64", "001fffffffffffff", Number.MAX_SAFE_INTEGER],
    ["int64", "ffe0000000000001", Number.MIN_SAFE_INTEGER],
    ["int64", "00000000ffffffff", 4294967295],
    ["int64", "ffffffff00000000", -4294967296],
    ["int64", "8000000000000000", -(2 ** 63)],
    ["int64", "7fffffffffffffff", 2 ** 63],
    ["float64", "3ff8000000000000", 1.5],
    ["float64", "7ff0000000000000", Number.POSITIVE_INFINITY],
  ] as const)("%s of %s is %d", (type, text, expected) => {
    const reader = hex(text);
    expect(reader[type]()).toBe(expected);
    expect(reader.remaining).toBe(0);
  });

  test("any byte but zero is true", () => {
    const reader = hex("00 01 02 ff");
    expect([reader.bool(), reader.bool(), reader.bool(), reader.bool()]).toEqual([false, true, true, true]);
  });

  test.each(["int8", "uint8", "bool", "int16", "uint16", "int32", "uint32", "int64", "float64", "uuid"] as const)(
    "%s that is cut short is malformed, and reads nothing",
    (type) => {
      const reader = new Reader(Buffer.alloc(32), 0, type === "uuid" ? 15 : 0);
      expect(thrown(() => reader[type]())).toEqual(malformed);
      expect(reader.position).toBe(0);
    },
  );
});

describe("unsigned varints", () => {
  test.each([
    ["00", 0],
    ["7f", 127],
    ["8001", 128],
    ["ff7f", 16383],
    ["808001", 16384],
    ["ffffff7f", 2 ** 28 - 1],
    ["8080808001", 2 ** 28],
    ["ffffffff07", 2 ** 31 - 1],
    ["ffffffff0f", 2 ** 32 - 1],
    ["8000", 0],
  ])("%s is %d", (text, expected) => {
    const reader = hex(text);
    expect(reader.unsignedVarint()).toBe(expected);
    expect(reader.remaining).toBe(0);
  });

  test.each(["", "80", "ffffffff", "ffffffff10", "ffffffff80", "ffffffffffffff"])("%s is malformed", (text) => {
    expect(thrown(() => hex(text).unsignedVarint())).toEqual(malformed);
  });
});

describe("strings and bytes", () => {
  test("uuids are 22 characters of base64url", () => {
    expect(hex("00".repeat(16)).uuid()).toBe(ZERO_UUID);
    expect(hex("fb".repeat(16)).uuid()).toBe("-_v7-_v7-_v7-_v7-_v7-w");
  });

  test.each([
    ["string", "0000", ""],
    ["string", "0003 c3a9 78", "éx"],
    ["nullableString", "ffff", null],
    ["nullableString", "0001 61", "a"],
    ["compactString", "01", ""],
    ["compactString", "02 61", "a"],
    ["compactNullableString", "00", null],
    ["compactNullableString", "01", ""],
  ] as const)("%s %s", (type, text, expected) => {
    const reader = hex(text);
    expect(reader[type]()).toBe(expected);
    expect(reader.remaining).toBe(0);
  });

  test.each([
    ["bytes", "00000000", ""],
    ["bytes", "00000002 0102", "0102"],
    ["nullableBytes", "ffffffff", null],
    ["nullableBytes", "00000001 05", "05"],
    ["compactBytes", "01", ""],
    ["compactBytes", "03 0102", "0102"],
    ["compactNullableBytes", "00", null],
    ["compactNullableBytes", "02 07", "07"],
  ] as const)("%s %s", (type, text, expected) => {
    const reader = hex(text);
    expect(reader[type]()?.toString("hex") ?? null).toBe(expected);
    expect(reader.remaining).toBe(0);
  });

  test.each([
    ["string", "ffff"],
    ["string", "fffe"],
    ["string", "0002 61"],
    ["nullableString", "fffe"],
    ["compactString", "00"],
    ["compactString", "03 61"],
    ["compactString", "ffffffff0f"],
    ["compactNullableString", "ffffffff0f"],
    ["bytes", "ffffffff"],
    ["bytes", "7fffffff 00"],
    ["bytes", "80000000"],
    ["nullableBytes", "fffffffe"],
    ["compactBytes", "00"],
    ["compactBytes", "ffffffff0f 00"],
    ["compactNullableBytes", "808080800f"],
  ] as const)("%s %s is malformed", (type, text) => {
    expect(thrown(() => hex(text)[type]())).toEqual(malformed);
  });

  test("a string beyond what the oldest form can say is malformed in the compact form too", () => {
    const bytes = Buffer.alloc(40_000, "x");
    // 32768, which stands for one less
    expect(new Reader(Buffer.concat([Buffer.from([0x80, 0x80, 0x02]), bytes])).compactString()).toHaveLength(32767);
    const reader = new Reader(Buffer.concat([Buffer.from([0x81, 0x80, 0x02]), bytes]));
    expect(thrown(() => reader.compactString())).toEqual(malformed);
  });

  test.each([
    [10_922, 32_766],
    [10_923, undefined],
  ])("%d bytes that are no UTF-8 are read if they can be written again", (size, bytes) => {
    const frame = Buffer.alloc(2 + size, 0xff);
    frame.writeInt16BE(size);
    const reader = new Reader(frame);
    if (bytes === undefined) expect(thrown(() => reader.string())).toEqual(malformed);
    else expect(Buffer.byteLength(reader.string())).toBe(bytes);
  });

  test("bytes are views into the frame, not copies", () => {
    const frame = Buffer.from("00000002 0102".replace(" ", ""), "hex");
    const view = new Reader(frame).bytes();
    frame[4] = 9;
    expect(view[0]).toBe(9);
  });
});

describe("arrays", () => {
  test("lengths, null and empty", () => {
    expect(hex("ffffffff").arrayLength(1)).toBe(-1);
    expect(hex("00000000").arrayLength(1)).toBe(0);
    expect(hex("00000002 0000").arrayLength(1)).toBe(2);
    expect(hex("00").compactArrayLength(1)).toBe(-1);
    expect(hex("01").compactArrayLength(1)).toBe(0);
    expect(hex("03 0000").compactArrayLength(1)).toBe(2);
  });

  test("a length that the bytes left cannot hold is malformed before anything is allocated", () => {
    expect(thrown(() => hex("00000002 00").arrayLength(1))).toEqual(malformed);
    expect(thrown(() => hex("00000002 000000").arrayLength(2))).toEqual(malformed);
    expect(thrown(() => hex("7fffffff 00").arrayLength(1))).toEqual(malformed);
    expect(thrown(() => hex("fffffffe").arrayLength(1))).toEqual(malformed);
    expect(thrown(() => hex("ffffffff0f 00").compactArrayLength(1))).toEqual(malformed);
  });

  test("null where the schema has none is malformed", () => {
    expect(hex("").required(0)).toBe(0);
    expect(thrown(() => hex("").required(-1))).toEqual(malformed);
  });

  test("one message cannot hold more elements than the limit, whatever its arrays are nested in", () => {
    const buffer = Buffer.alloc(ARRAY_ELEMENTS_MAX + 8);
    const half = ARRAY_ELEMENTS_MAX / 2;
    buffer.writeInt32BE(half, 0);
    buffer.writeInt32BE(half + 1, 4);
    const reader = new Reader(buffer);
    expect(reader.arrayLength(1)).toBe(half);
    expect(thrown(() => reader.arrayLength(1))).toEqual(malformed);
  });
});

describe("structs and tagged fields", () => {
  test("a nullable struct is announced by 1 or -1 and nothing else", () => {
    expect(hex("01").structPresent()).toBe(true);
    expect(hex("ff").structPresent()).toBe(false);
    for (const marker of ["00", "02", "80"]) expect(thrown(() => hex(marker).structPresent())).toEqual(malformed);
  });

  test("unknown tags are skipped", () => {
    const reader = hex("02 00 01 ff 8101 02 abcd 77");
    reader.skipTags();
    expect(reader.uint8()).toBe(0x77);
  });

  test.each(["01", "01 00", "01 00 01", "01 00 ffffffff0f", "ffffffff0f 00 00"])("tags of %s are malformed", (text) => {
    expect(thrown(() => hex(text).skipTags())).toEqual(malformed);
  });

  test("a tagged field ends where it says", () => {
    const reader = hex("0102 03");
    const end = reader.enterTag(2);
    reader.int8();
    expect(thrown(() => reader.leaveTag(end))).toEqual(malformed);
    reader.int8();
    reader.leaveTag(end);
    expect(thrown(() => reader.enterTag(2))).toEqual(malformed);
  });
});

test("what is left after a message is malformed", () => {
  const reader = hex("0102");
  reader.int8();
  expect(thrown(() => reader.expectEnd())).toEqual(malformed);
  reader.int8();
  reader.expectEnd();
});

test("a reader stays within its part of the buffer", () => {
  const reader = new Reader(Buffer.from("0102030405", "hex"), 1, 3);
  expect(reader.int16()).toBe(0x0203);
  expect(thrown(() => reader.int8())).toEqual(malformed);
  expect(thrown(() => reader.skip(1))).toEqual(malformed);
});
