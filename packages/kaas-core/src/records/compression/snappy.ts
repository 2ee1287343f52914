import { createRequire } from "node:module";
import { type Codec, decompressionFailed, expandsBeyond } from "./codec.js";
import { lazily } from "./lazily.js";

interface Native {
  compressSync(bytes: Uint8Array): Buffer;
  uncompressSync(bytes: Uint8Array, options: { asBuffer: true }): Buffer;
  compress(bytes: Uint8Array): Promise<Buffer>;
  uncompress(bytes: Uint8Array, options: { asBuffer: true }): Promise<Buffer>;
}

const require = createRequire(import.meta.url);
const native = lazily(() => require("snappy") as Native);

/**
 * Java's clients frame snappy as the xerial library does, others send a raw block; both are read. Written is xerial,
 * which all of them read.
 *
 * ```
 * 82 "SNAPPY" 00 · version int32 = 1 · compatible int32 = 1 · (block length int32 · raw snappy block)*
 * ```
 */
const XERIAL_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEADER = Buffer.concat([XERIAL_MAGIC, Buffer.from([0, 0, 0, 1, 0, 0, 0, 1])]);
/** Uncompressed size of a block; xerial's own. */
const BLOCK_BYTES = 32 * 1024;

export const snappy: Codec = {
  compress(bytes) {
    return framed(plainBlocks(bytes).map((block) => native().compressSync(block)));
  },

  decompress(bytes, maxBytes) {
    return joined(blocksOf(bytes, maxBytes).map(uncompress));
  },

  async compressInPool(bytes) {
    const blocks: Buffer[] = [];
    for (const block of plainBlocks(bytes)) blocks.push(await native().compress(block));
    return framed(blocks);
  },

  async decompressInPool(bytes, maxBytes) {
    const parts: Buffer[] = [];
    for (const block of blocksOf(bytes, maxBytes)) parts.push(await uncompressInPool(block));
    return joined(parts);
  },
};

function plainBlocks(bytes: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) blocks.push(bytes.subarray(at, at + BLOCK_BYTES));
  return blocks;
}

function framed(blocks: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [XERIAL_HEADER];
  for (const block of blocks) {
    const length = Buffer.allocUnsafe(4);
    length.writeInt32BE(block.length);
    parts.push(length, block);
  }
  return Buffer.concat(parts);
}

/** The blocks of what a client sent, once it is known that they expand to no more than `maxBytes`. */
function blocksOf(bytes: Buffer, maxBytes: number): readonly Buffer[] {
  const blocks = isXerial(bytes) ? xerialBlocks(bytes) : [bytes];
  let size = 0;
  for (const block of blocks) size += uncompressedSize(block);
  if (size > maxBytes) throw expandsBeyond("snappy", maxBytes);
  return blocks;
}

function joined(parts: readonly Buffer[]): Buffer {
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

function isXerial(bytes: Buffer): boolean {
  return bytes.length >= XERIAL_HEADER.length && bytes.subarray(0, XERIAL_MAGIC.length).equals(XERIAL_MAGIC);
}

function xerialBlocks(bytes: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  let at = XERIAL_HEADER.length;
  while (at < bytes.length) {
    const size = at + 4 <= bytes.length ? bytes.readInt32BE(at) : -1;
    at += 4;
    if (size < 0 || size > bytes.length - at) throw decompressionFailed("snappy", "a block runs past the end");
    blocks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return blocks;
}

/** What a raw block says at its beginning, as a varint. The decoder allocates by it. */
function uncompressedSize(block: Buffer): number {
  let size = 0;
  for (let index = 0; index < 5; index++) {
    const byte = block[index];
    if (byte === undefined) break;
    size += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return size;
  }
  throw decompressionFailed("snappy", "a block has no length");
}

async function uncompressInPool(block: Buffer): Promise<Buffer> {
  try {
    return await native().uncompress(block, { asBuffer: true });
  } catch (error) {
    throw decompressionFailed("snappy", (error as Error).message, error);
  }
}

function uncompress(block: Buffer): Buffer {
  try {
    return native().uncompressSync(block, { asBuffer: true });
  } catch (error) {
    throw decompressionFailed("snappy", (error as Error).message, error);
  }
}
