import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { BufferPool, type PooledBuffer } from "./buffer-pool.js";
import { Leases } from "./leases.js";
import { POOLED_BYTES_MAX } from "./size-classes.js";

const MIB = 1024 * 1024;
const pool = (spareBytesMax = 16 * MIB, poisons = true): BufferPool => new BufferPool({ spareBytesMax, poisons });

test("a buffer that came back is the next to be lent", () => {
  const buffers = pool();
  const first = buffers.take(MIB);
  first.release();
  expect(buffers.take(MIB - 1000).bytes).toBe(first.bytes);
  expect(buffers.made).toBe(1);
});

test("a buffer comes back when the last holder lets go", () => {
  const buffers = pool();
  const shared = buffers.take(5000);
  shared.retain();
  shared.release();
  expect(buffers.take(5000).bytes).not.toBe(shared.bytes);
  shared.release();
  expect(buffers.take(5000).bytes).toBe(shared.bytes);
  shared.release();
  expect(() => shared.retain()).toThrow("gone back");
});

test("a second release is a bug that is noticed", () => {
  const buffer = pool().take(5000);
  buffer.release();
  expect(() => buffer.release()).toThrow("as often as it is held");
});

test("whoever looks at a buffer that has gone back sees that it is not his any more", () => {
  const buffer = pool().take(100);
  buffer.bytes.fill(1);
  const view = buffer.bytes.subarray(10, 12);
  buffer.release();
  expect([...view]).toEqual([0xdb, 0xdb]);
});

test("no more is kept than allowed, and nothing of what is too large for the pool", () => {
  const buffers = pool(2 * MIB);
  const lent = [MIB, MIB, MIB, POOLED_BYTES_MAX + 1].map((size) => buffers.take(size));
  expect(lent[3]?.bytes).toHaveLength(POOLED_BYTES_MAX + 1);
  expect(buffers.lentBytes).toBe(3 * MIB + POOLED_BYTES_MAX + 1);
  for (const buffer of lent) buffer.release();
  expect([buffers.lentBytes, buffers.spareBytes]).toEqual([0, 2 * MIB]);
});

test("what nobody wanted for a while is let go, the rest stays", () => {
  const buffers = pool();
  const lent = [1, 2, 3].map(() => buffers.take(MIB));
  for (const buffer of lent) buffer.release();
  buffers.trim(); // they came back only now
  expect(buffers.spareBytes).toBe(3 * MIB);
  buffers.take(MIB).release();
  buffers.trim();
  expect(buffers.spareBytes).toBe(MIB);
  buffers.trim();
  expect(buffers.spareBytes).toBe(0);
});

property.prop([fc.array(fc.tuple(fc.integer({ min: 1, max: 2 * MIB }), fc.boolean()), { maxLength: 60 })])(
  "no byte is lent twice, and the books are right",
  (steps) => {
    const buffers = new BufferPool({ spareBytesMax: 4 * MIB });
    const lent: PooledBuffer[] = [];
    for (const [size, takes] of steps) {
      if (takes || lent.length === 0) lent.push(buffers.take(size));
      else lent.splice(size % lent.length, 1)[0]?.release();
      expect(new Set(lent.map(({ bytes }) => bytes.buffer)).size).toBe(lent.length);
      expect(buffers.lentBytes).toBe(lent.reduce((sum, { bytes }) => sum + bytes.length, 0));
      expect(buffers.spareBytes).toBeLessThanOrEqual(4 * MIB);
    }
    for (const buffer of lent) buffer.release();
    expect(buffers.lentBytes).toBe(0);
  },
);

test("several leases end together, and once", () => {
  const buffers = pool();
  const [one, other] = [buffers.take(1), buffers.take(2)];
  expect(Leases.of([])).toBeUndefined();
  expect(Leases.of([one])).toBe(one);
  const both = new Leases([one, other]);
  both.release();
  expect(buffers.lentBytes).toBe(0);
  expect(() => both.release()).toThrow("ends once");
});
