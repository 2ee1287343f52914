import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { Compression } from "../batch.js";
import { compress, compressInPool, decompress, decompressInPool, loadCodec } from "./compression.js";
import { lz4FrameSize } from "./lz4-frame.js";
import { compressLz4High } from "./lz4-high.js";
import { zstdFrames } from "./zstd-frame.js";

beforeAll(() => loadCodec(Compression.ZSTD));

const codecs = Object.entries(Compression).filter(([name]) => name !== "NONE");
const MAX = 1 << 24;

/** Bytes from empty to several blocks, from random to repetitive. */
const content = fc.oneof(
  fc.uint8Array({ maxLength: 3000 }).map((array) => Buffer.from(array)),
  fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 500 }), fc.integer({ min: 1, max: 600 }))
    .map(([piece, times]) => Buffer.concat(Array.from({ length: times }, () => piece))),
);

describe.each(codecs)("%s", (_name, codec) => {
  test("gives back what was compressed", () => {
    fc.assert(
      fc.property(content, (bytes) => {
        expect(decompress(codec, compress(codec, bytes), MAX).equals(bytes)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("does the same on the thread pool", async () => {
    for (const size of [10, 70_000, 400_000]) {
      const bytes = Buffer.alloc(size, "a line of text, again and again\n");
      expect((await decompressInPool(codec, compress(codec, bytes), MAX)).equals(bytes)).toBe(true);
      expect(decompress(codec, await compressInPool(codec, bytes), MAX).equals(bytes)).toBe(true);
    }
    const random = randomBytes(200_000);
    const packed = await compressInPool(codec, random);
    expect((await decompressInPool(codec, packed, MAX)).equals(random)).toBe(true);
    await expect(decompressInPool(codec, packed, random.length - 1)).rejects.toThrow("expands to more than");
    const cut = packed.subarray(0, packed.length - 100);
    await expect(decompressInPool(codec, cut, MAX)).rejects.toMatchObject({ code: "KAAS_COMPRESSION_FAILED" });
  });

  test("expands up to its limit and not a byte further", () => {
    for (const size of [2, 1000, 70_000, 400_000]) {
      const packed = compress(codec, Buffer.alloc(size, "a line of text, again and again\n"));
      expect(decompress(codec, packed, size).length).toBe(size);
      expect(() => decompress(codec, packed, size - 1)).toThrow("expands to more than");
    }
  });

  test("a bomb costs neither time nor memory", () => {
    const bomb = compress(codec, Buffer.alloc(64 << 20));
    expect(bomb.length).toBeLessThan(4 << 20);
    const before = process.memoryUsage();
    expect(() => decompress(codec, bomb, 1 << 20)).toThrow("expands to more than");
    const after = process.memoryUsage();
    expect(after.arrayBuffers + after.external - before.arrayBuffers - before.external).toBeLessThan(8 << 20);
  });

  test("junk, prefixes and flipped bits throw KAAS_COMPRESSION_FAILED or expand within the limit", () => {
    const packed = compress(codec, Buffer.alloc(3000, "a line of text, again and again\n"));
    const damaged = fc.oneof(
      fc.uint8Array({ maxLength: 100 }).map((array) => Buffer.from(array)),
      fc.nat(packed.length - 1).map((end) => packed.subarray(0, end)),
      fc.nat(packed.length * 8 - 1).map((bit) => {
        const copy = Buffer.from(packed);
        copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
        return copy;
      }),
    );
    fc.assert(
      fc.property(damaged, (bytes) => {
        try {
          expect(decompress(codec, bytes, 10_000).length).toBeLessThanOrEqual(10_000);
        } catch (error) {
          expect(error).toMatchObject({ name: "KaasError", code: "KAAS_COMPRESSION_FAILED" });
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("levels", () => {
  const text = Buffer.from(
    Array.from({ length: 9_000 }, (_, n) => `{"key":${(n * 7919) % 1009},"n":${n % 97}}`).join(),
  );
  const cases = [
    ["GZIP", "gzip", [1, 6, 9], [-1]],
    ["LZ4", "lz4", [1, 4, 7, 17], [9]],
    ["ZSTD", "zstd", [-131072, -50, -1, 22], [0]],
  ] as const;

  test.each(cases)("%s: the higher, the smaller, and all are read", async (name, key, ascending, others) => {
    const codec = Compression[name];
    const sizeOf = (level: number): number => {
      const packed = compress(codec, text, { gzip: -1, lz4: 9, zstd: 3, [key]: level });
      expect(decompress(codec, packed, MAX).equals(text)).toBe(true);
      return packed.length;
    };
    const sizes = ascending.map(sizeOf);
    for (const [index, size] of sizes.slice(1).entries()) expect(size).toBeLessThan(sizes[index] as number);
    for (const level of others) expect(sizeOf(level)).toBe(compress(codec, text).length);
    const levels = { gzip: -1, lz4: 9, zstd: 3, [key]: ascending.at(-1) as number };
    expect((await compressInPool(codec, text, levels)).length).toBe(sizes.at(-1));
  });

  test("lz4 that looks longer gives back what was compressed, and never more than it has to", () => {
    fc.assert(
      fc.property(content, fc.integer({ min: 1, max: 17 }), (bytes, level) => {
        const packed = compressLz4High(bytes, level);
        expect(decompress(Compression.LZ4, packed, MAX).equals(bytes)).toBe(true);
        expect(lz4FrameSize(packed, 0)).toBe(bytes.length);
        expect(packed.length).toBeLessThanOrEqual(bytes.length + 11 + 4 * Math.ceil(bytes.length / 65_536));
      }),
      { numRuns: 150 },
    );
  });
});

test("a codec that does not exist is refused", () => {
  expect(() => decompress(5, Buffer.from("x"), MAX)).toThrow("no such codec");
});

describe("snappy", () => {
  test("a raw block is read as well as xerial's framing", () => {
    const raw = Buffer.from("0b2868656c6c6f20776f726c64", "hex");
    expect(decompress(Compression.SNAPPY, raw, MAX).toString()).toBe("hello world");
    const framed = Buffer.concat([
      Buffer.from("82534e4150505900000000010000000100", "hex").subarray(0, 16),
      Buffer.from([0, 0, 0, raw.length]),
      raw,
    ]);
    expect(decompress(Compression.SNAPPY, framed, MAX).toString()).toBe("hello world");
  });

  test("is written in xerial's framing, in blocks of 32 KiB", () => {
    const packed = compress(Compression.SNAPPY, Buffer.alloc(100_000));
    expect(packed.toString("hex", 0, 16)).toBe("82534e41505059000000000100000001");
    let blocks = 0;
    for (let at = 16; at < packed.length; at += 4 + packed.readInt32BE(at)) blocks++;
    expect(blocks).toBe(4);
  });

  test("a length that the block does not have is refused before it is allocated", () => {
    expect(() => decompress(Compression.SNAPPY, Buffer.from("ffffffff0f00", "hex"), MAX)).toThrow("more than");
  });
});

describe("gzip", () => {
  test("members that follow each other are read as one", () => {
    const two = Buffer.concat([gzipSync("one "), gzipSync("two")]);
    expect(decompress(Compression.GZIP, two, MAX).toString()).toBe("one two");
  });
});

describe("lz4", () => {
  test("the size of a frame is found exactly without expanding it", () => {
    fc.assert(
      fc.property(content, (bytes) => {
        expect(lz4FrameSize(compress(Compression.LZ4, bytes), 0)).toBe(bytes.length);
      }),
      { numRuns: 60 },
    );
  });
});

describe("zstd", () => {
  test("frames that follow each other, and skippable ones between them, are read as one", () => {
    const frame = (text: string): Buffer => compress(Compression.ZSTD, Buffer.from(text));
    const skippable = Buffer.from("502a4d18030000000102 03".replace(" ", ""), "hex");
    const bytes = Buffer.concat([skippable, frame("one "), skippable, frame("two")]);
    expect(zstdFrames(bytes)).toHaveLength(2);
    expect(decompress(Compression.ZSTD, bytes, MAX).toString()).toBe("one two");
    expect(decompress(Compression.ZSTD, bytes, 7).length).toBe(7);
    expect(() => decompress(Compression.ZSTD, bytes, 6)).toThrow("expands to more than");
  });

  test("a frame that does not say its size, as Java's client writes it", () => {
    // Written by zstd-jni's stream: 200 times "kafka", streamed: no content size in the header
    const streamed = Buffer.from("28b52ffd0058650000286b61666b610100e051152d", "hex");
    expect(zstdFrames(streamed)[0]).toMatchObject({ isSizeKnown: false });
    expect(decompress(Compression.ZSTD, streamed, MAX).toString()).toBe("kafka".repeat(200));
    expect(() => decompress(Compression.ZSTD, streamed, 999)).toThrow("expands to more than");
  });

  test("a content size beyond what the blocks can hold is refused", () => {
    const packed = compress(Compression.ZSTD, Buffer.alloc(100_000));
    const frame = zstdFrames(packed)[0];
    expect(frame).toMatchObject({ isSizeKnown: true, sizeMax: 100_000 });
    const lying = Buffer.from(packed);
    lying.writeUInt32LE(0xfff0_0000, lying.readUInt8(4) & 0x20 ? 5 : 6);
    expect(() => decompress(Compression.ZSTD, lying, 2 ** 33)).toThrow("cannot hold");
  });
});
