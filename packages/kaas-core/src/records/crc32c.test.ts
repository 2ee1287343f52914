import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { crc32c, crc32cSliced } from "./crc32c.js";

/** The definition, a bit at a time. */
function crc32cByBits(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

describe("crc32c", () => {
  test("matches the published check values", () => {
    expect(crc32c(Buffer.from("123456789"))).toBe(0xe3069283);
    expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa); // RFC 3720, B.4
    expect(crc32c(Buffer.alloc(32, 0xff))).toBe(0x62a8ab43);
    expect(crc32c(Buffer.alloc(0))).toBe(0);
  });

  test("both implementations agree with the definition at every size, alignment and seed", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 700 }), fc.nat(20), fc.nat(), (bytes, skipped, cut) => {
        const buffer = Buffer.from(bytes);
        const start = Math.min(skipped, buffer.length);
        const middle = start + (cut % (buffer.length - start + 1));
        const expected = crc32cByBits(buffer.subarray(start));
        expect(crc32c(buffer, start)).toBe(expected);
        expect(crc32cSliced(buffer, start, buffer.length, 0)).toBe(expected);
        expect(crc32c(buffer, middle, buffer.length, crc32c(buffer, start, middle))).toBe(expected);
        const first = crc32cSliced(buffer, start, middle, 0);
        expect(crc32cSliced(buffer, middle, buffer.length, first)).toBe(expected);
      }),
    );
  });

  test("large buffers, where the native implementation is used when there is one", () => {
    const buffer = Buffer.alloc(100_000, "some bytes ");
    expect(crc32c(buffer)).toBe(crc32cByBits(buffer));
    expect(crc32c(buffer, 3, 99_001)).toBe(crc32cByBits(buffer.subarray(3, 99_001)));
  });
});
