import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { OffsetMap, SLOT_BYTES } from "./offset-map.js";

const key = (n: number): Buffer => Buffer.from(`key-${n}`);

describe("a map of offsets", () => {
  test("knows the last offset of every key, as a Map does", () => {
    const puts = fc.array(fc.tuple(fc.uint8Array({ maxLength: 3 }), fc.nat(2 ** 52)), { maxLength: 200 });
    fc.assert(
      fc.property(puts, (all) => {
        const map = new OffsetMap(300 * SLOT_BYTES, 0.9);
        const model = new Map<string, number>();
        for (const [bytes, offset] of all) {
          expect(map.put(Buffer.from(bytes), offset)).toBe(true);
          model.set(Buffer.from(bytes).toString("hex"), offset);
        }
        expect(map.size).toBe(model.size);
        for (const [hex, offset] of model) expect(map.get(Buffer.from(hex, "hex"))).toBe(offset);
        expect(map.get(Buffer.from("never put"))).toBe(-1);
      }),
    );
  });

  test("takes no more keys than its memory holds, and still takes new offsets of those it has", () => {
    const map = new OffsetMap(100 * SLOT_BYTES, 0.75);
    expect(map.keysMax).toBe(75);
    for (let n = 0; n < 75; n++) expect(map.put(key(n), n)).toBe(true);
    expect(map.put(key(75), 75)).toBe(false);
    expect(map.put(key(3), 1000)).toBe(true);
    expect([map.size, map.get(key(3)), map.get(key(74)), map.get(key(75))]).toEqual([75, 1000, 74, -1]);
  });

  test("ends its searches even when it is as full as it gets", () => {
    const map = new OffsetMap(16 * SLOT_BYTES, 1);
    let taken = 0;
    while (map.put(key(taken), taken)) taken++;
    expect(taken).toBe(15);
    expect(map.get(key(99))).toBe(-1);
  });

  test("an offset of 0 is an offset", () => {
    const map = new OffsetMap(0, 0.9);
    expect(map.put(Buffer.alloc(0), 0)).toBe(true);
    expect(map.get(Buffer.alloc(0))).toBe(0);
  });
});
