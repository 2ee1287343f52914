import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Reader, ZERO_UUID } from "./reader.js";
import { recordsSize, Writer } from "./writer.js";

/** The bytes that some calls write, as hex. */
function written(write: (writer: Writer) => void): string {
  const writer = new Writer();
  write(writer);
  return Buffer.concat(writer.finish()).toString("hex");
}

/** A writer whose slab has so many bytes left. */
function writerWithRoomFor(size: number): Writer {
  const writer = new Writer();
  for (let left = 64 * 1024 - size; left > 0; left -= 1024) writer.raw(Buffer.alloc(Math.min(1024, left)));
  writer.finish();
  return writer;
}

describe("numbers", () => {
  test.each([
    ["int8", -1, "ff"],
    ["uint8", 255, "ff"],
    ["int16", -32768, "8000"],
    ["uint16", 65535, "ffff"],
    ["int32", -2147483648, "80000000"],
    ["uint32", 4294967295, "ffffffff"],
    ["int64", 0, "0000000000000000"],
    ["int64", -1, "ffffffffffffffff"],
    ["int64", 4294967296, "0000000100000000"],
    ["int64", -4294967296, "ffffffff00000000"],
    ["int64", Number.MAX_SAFE_INTEGER, "001fffffffffffff"],
    ["int64", Number.MIN_SAFE_INTEGER, "ffe0000000000001"],
    ["int64", 2 ** 53 + 2, "0020000000000002"],
    ["int64", 2 ** 63, "7fffffffffffffff"],
    ["int64", Number.POSITIVE_INFINITY, "7fffffffffffffff"],
    ["int64", -(2 ** 63), "8000000000000000"],
    ["int64", -(2 ** 64), "8000000000000000"],
    ["int64", Number.NEGATIVE_INFINITY, "8000000000000000"],
    ["float64", 1.5, "3ff8000000000000"],
    ["unsignedVarint", 0, "00"],
    ["unsignedVarint", 127, "7f"],
    ["unsignedVarint", 128, "8001"],
    ["unsignedVarint", 2 ** 32 - 1, "ffffffff0f"],
  ] as const)("%s of %d", (type, value, expected) => {
    expect(written((writer) => writer[type](value))).toBe(expected);
  });

  test("any int64 a number can hold survives", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(Number)),
        (value) => {
          const reader = new Reader(
            Buffer.from(
              written((writer) => writer.int64(value)),
              "hex",
            ),
          );
          expect(reader.int64()).toBe(value);
        },
      ),
    );
  });

  test("any varint survives", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (value) => {
        const reader = new Reader(
          Buffer.from(
            written((writer) => writer.unsignedVarint(value)),
            "hex",
          ),
        );
        expect(reader.unsignedVarint()).toBe(value);
        reader.expectEnd();
      }),
    );
  });
});

describe("strings, bytes, uuids", () => {
  test.each([
    ["string", "é", "0002c3a9"],
    ["string", "", "0000"],
    ["nullableString", null, "ffff"],
    ["compactString", "ab", "036162"],
    ["compactString", "", "01"],
    ["compactNullableString", null, "00"],
  ] as const)("%s of %s", (type, value, expected) => {
    expect(written((writer) => writer[type](value as string))).toBe(expected);
  });

  test.each([
    ["bytes", "0102", "000000020102"],
    ["nullableBytes", null, "ffffffff"],
    ["compactBytes", "0102", "030102"],
    ["compactBytes", "", "01"],
    ["compactNullableBytes", null, "00"],
  ] as const)("%s of %s", (type, value, expected) => {
    const bytes = value === null ? null : Buffer.from(value, "hex");
    expect(written((writer) => writer[type](bytes as Buffer))).toBe(expected);
  });

  test("several buffers are written as one", () => {
    const parts = [Buffer.from("01", "hex"), Buffer.alloc(0), Buffer.from("0203", "hex")];
    expect(recordsSize(parts)).toBe(3);
    expect(written((writer) => writer.bytes(parts))).toBe("00000003010203");
    expect(written((writer) => writer.compactNullableBytes(parts))).toBe("04010203");
  });

  test("uuids must be whole", () => {
    expect(written((writer) => writer.uuid("-_v7-_v7-_v7-_v7-_v7-w"))).toBe("fb".repeat(16));
    expect(written((writer) => writer.uuid(ZERO_UUID))).toBe("00".repeat(16));
    for (const value of ["", "AAAA", `${ZERO_UUID}A`, "not a uuid at all, no !"]) {
      expect(() => written((writer) => writer.uuid(value))).toThrow("UUID");
    }
  });

  test("a string too long for the oldest form is refused in both", () => {
    const longest = "x".repeat(32767);
    expect(written((writer) => writer.string(longest))).toHaveLength(2 * 32769);
    expect(() => written((writer) => writer.string(`${longest}x`))).toThrow("at most 32767");
    expect(() => written((writer) => writer.compactString(`${longest}x`))).toThrow("at most 32767");
  });

  test.each(["x", "é", "€", "😀"])("a message that is too long is cut, between characters: %s", (character) => {
    const said = (text: string): (string | null)[] => {
      const plain = new Reader(
        Buffer.from(
          written((writer) => writer.nullableString(text)),
          "hex",
        ),
      );
      const compact = new Reader(
        Buffer.from(
          written((writer) => writer.compactNullableString(text)),
          "hex",
        ),
      );
      return [plain.nullableString(), compact.compactNullableString()];
    };
    for (let before = 0; before < 4; before++) {
      const fits = " ".repeat(before) + character.repeat(Math.floor((32767 - before) / Buffer.byteLength(character)));
      expect(said(fits)).toEqual([fits, fits]);
      const [cut, same] = said(fits + character.repeat(100));
      expect(same).toBe(cut);
      expect(cut?.at(-1)).toBe("…");
      expect(fits.startsWith(cut?.slice(0, -1) ?? "-")).toBe(true);
      expect(Buffer.byteLength(cut ?? "")).toBeGreaterThan(32767 - 4);
    }
  });
});

describe("tagged fields", () => {
  test.each([0, 1, 127, 128, 16383, 16384, 100_000])("content of %d bytes, in a slab with little room", (size) => {
    // The content may end exactly where the slab does, a few bytes before, or beyond.
    for (const spare of [0, 1, 2, 3, 4, 5, 100]) {
      const writer = writerWithRoomFor(size + spare);
      writer.uint8(0xee);
      const mark = writer.beginTag(3);
      for (let left = size; left > 0; left -= 1000) writer.raw(Buffer.alloc(Math.min(1000, left), 0xab));
      writer.endTag(mark);
      writer.uint8(0xff);
      const reader = new Reader(Buffer.concat(writer.finish()));
      expect(reader.uint8()).toBe(0xee);
      expect(reader.unsignedVarint()).toBe(3);
      expect(reader.unsignedVarint()).toBe(size);
      const content = Buffer.alloc(size, 0xab);
      expect(reader.buffer.subarray(reader.position, reader.position + size).equals(content)).toBe(true);
      reader.skip(size);
      expect(reader.uint8()).toBe(0xff);
      reader.expectEnd();
    }
  });

  test("large bytes inside a tag are part of its content", () => {
    const large = Buffer.alloc(5000, 0x11);
    const bytes = Buffer.from(
      written((writer) => {
        const mark = writer.beginTag(0);
        writer.compactBytes(large);
        writer.endTag(mark);
      }),
      "hex",
    );
    const reader = new Reader(bytes);
    expect(reader.unsignedVarint()).toBe(0);
    const end = reader.enterTag(reader.unsignedVarint());
    expect(reader.compactBytes().equals(large)).toBe(true);
    reader.leaveTag(end);
    reader.expectEnd();
  });

  test("tags may be nested", () => {
    const bytes = written((writer) => {
      const outer = writer.beginTag(1);
      writer.uint8(0xaa);
      const inner = writer.beginTag(2);
      writer.raw(Buffer.alloc(200, 0xbb));
      writer.endTag(inner);
      writer.endTag(outer);
    });
    expect(bytes).toBe(`01cc01aa02c801${"bb".repeat(200)}`);
  });
});

describe("pieces", () => {
  test("large bytes are handed on, not copied; small ones are copied", () => {
    const writer = new Writer();
    const large = Buffer.alloc(1025, 1);
    const small = Buffer.alloc(1024, 2);
    writer.int8(1);
    writer.bytes(large);
    writer.bytes(small);
    const pieces = writer.finish();
    expect(pieces).toHaveLength(3);
    expect(pieces[1]).toBe(large);
    expect(Buffer.concat(pieces)).toEqual(
      Buffer.concat([Buffer.from("0100000401", "hex"), large, Buffer.from("00000400", "hex"), small]),
    );
  });

  test("the size counts what was handed on", () => {
    const writer = new Writer();
    writer.int32(0);
    writer.raw(Buffer.alloc(2000));
    writer.int16(7);
    expect(writer.size).toBe(2006);
    writer.finish();
    expect(writer.size).toBe(0);
  });

  test("a frame begins with the size of what follows it", () => {
    const writer = new Writer();
    for (const size of [0, 10, 5000]) {
      writer.int32(0);
      writer.raw(Buffer.alloc(size));
      const frame = Buffer.concat(writer.finishFrame());
      expect(frame.readInt32BE(0)).toBe(size);
      expect(frame).toHaveLength(size + 4);
    }
  });

  test("messages written one after the other do not disturb each other, across slabs", () => {
    const writer = new Writer();
    const messages: { readonly expected: Buffer; readonly pieces: readonly Buffer[] }[] = [];
    for (let index = 0; index < 400; index++) {
      const expected = Buffer.alloc((index * 37) % 1500, index);
      writer.raw(expected);
      messages.push({ expected, pieces: writer.finish() });
    }
    for (const { expected, pieces } of messages) expect(Buffer.concat(pieces).equals(expected)).toBe(true);
  });

  test("a message larger than a slab stays whole", () => {
    const text = "x".repeat(30_000);
    const writer = new Writer();
    for (let index = 0; index < 10; index++) writer.string(text);
    const bytes = Buffer.concat(writer.finish());
    const reader = new Reader(bytes);
    for (let index = 0; index < 10; index++) expect(reader.string()).toBe(text);
    reader.expectEnd();
  });

  test.each([
    ["int8", 1],
    ["bool", true],
    ["int16", 258],
    ["int32", 16909060],
    ["int64", 2 ** 52 + 1],
    ["float64", 1.5],
    ["uuid", "-_v7-_v7-_v7-_v7-_v7-w"],
    ["unsignedVarint", 300],
    ["compactString", "text"],
  ] as const)("%s survives where one slab ends and the next begins", (type, value) => {
    for (let room = 0; room <= 17; room++) {
      const writer = writerWithRoomFor(room);
      for (let index = 0; index < 4; index++) writer[type](value as never);
      const reader = new Reader(Buffer.concat(writer.finish()));
      for (let index = 0; index < 4; index++) expect(reader[type]()).toBe(value);
      reader.expectEnd();
    }
  });

  test("an abandoned message leaves nothing behind", () => {
    const writer = new Writer();
    writer.int32(1);
    writer.raw(Buffer.alloc(3000));
    writer.beginTag(1);
    writer.int32(2);
    writer.abandon();
    expect(writer.size).toBe(0);
    writer.int8(7);
    const large = Buffer.alloc(2000);
    writer.raw(large);
    const pieces = writer.finish();
    expect(pieces[0]?.toString("hex")).toBe("07");
    expect(pieces[1]).toBe(large);
  });
});
