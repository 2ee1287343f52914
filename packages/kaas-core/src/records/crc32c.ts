/**
 * CRC-32C (Castagnoli), the checksum of v2 record batches. Node's own `zlib.crc32` is the other, IEEE polynomial.
 *
 * Two implementations, chosen by size: a native one where its package is installed, and slicing-by-16 in JavaScript,
 * which needs no call out of the engine and therefore wins on small batches.
 */
import { createRequire } from "node:module";

/** Below this size a native call costs more than it saves: about 110 ns of overhead against 1.7 GB/s. */
const NATIVE_BYTES_MIN = 300;
/** Castagnoli's polynomial, bits reversed. */
const POLYNOMIAL = 0x82f63b78;
const SLICES = 16;

type NativeCrc32c = (input: Uint8Array, initial: number) => number;

/** Undefined until first wanted, null when the optional package is not there for this platform. */
let native: NativeCrc32c | null | undefined;

/**
 * The checksum of `buffer[start, end)`, an unsigned 32-bit number. `seed` continues a checksum: the CRC of two pieces
 * is the CRC of the second seeded with that of the first.
 */
export function crc32c(buffer: Buffer, start = 0, end: number = buffer.length, seed = 0): number {
  if (end - start >= NATIVE_BYTES_MIN) {
    if (native === undefined) native = loadNative();
    if (native !== null) return native(buffer.subarray(start, end), seed);
  }
  return crc32cSliced(buffer, start, end, seed);
}

/** The same in JavaScript alone. Indexes its arrays directly: with accessor functions it ran at a third of the speed. */
export function crc32cSliced(bytes: Uint8Array, start: number, end: number, seed: number): number {
  const t = tables;
  let crc = ~seed;
  let at = start;
  for (const last = end - SLICES; at <= last; at += SLICES) {
    crc ^= (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
    crc ^= ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);
    crc =
      (t[0xf00 | (crc & 0xff)] as number) ^
      (t[0xe00 | ((crc >>> 8) & 0xff)] as number) ^
      (t[0xd00 | ((crc >>> 16) & 0xff)] as number) ^
      (t[0xc00 | (crc >>> 24)] as number) ^
      (t[0xb00 | (bytes[at + 4] as number)] as number) ^
      (t[0xa00 | (bytes[at + 5] as number)] as number) ^
      (t[0x900 | (bytes[at + 6] as number)] as number) ^
      (t[0x800 | (bytes[at + 7] as number)] as number) ^
      (t[0x700 | (bytes[at + 8] as number)] as number) ^
      (t[0x600 | (bytes[at + 9] as number)] as number) ^
      (t[0x500 | (bytes[at + 10] as number)] as number) ^
      (t[0x400 | (bytes[at + 11] as number)] as number) ^
      (t[0x300 | (bytes[at + 12] as number)] as number) ^
      (t[0x200 | (bytes[at + 13] as number)] as number) ^
      (t[0x100 | (bytes[at + 14] as number)] as number) ^
      (t[bytes[at + 15] as number] as number);
  }
  for (; at < end; at++) crc = (t[(crc ^ (bytes[at] as number)) & 0xff] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Table `n`, at `n << 8`, holds what a byte contributes that has `n` bytes after it in its block of sixteen. */
const tables: Int32Array = buildTables();

function buildTables(): Int32Array {
  const built = new Int32Array(SLICES * 256);
  for (let value = 0; value < 256; value++) {
    let crc = value;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    built[value] = crc;
  }
  for (let at = 256; at < built.length; at++) {
    const before = built[at - 256] as number;
    built[at] = (before >>> 8) ^ (built[before & 0xff] as number);
  }
  return built;
}

function loadNative(): NativeCrc32c | null {
  try {
    const module = createRequire(import.meta.url)("@node-rs/crc32") as { crc32c: NativeCrc32c };
    return module.crc32c;
  } catch {
    return null; // an optional dependency: no prebuilt binary for this platform
  }
}
