import { decompressionFailed } from "./codec.js";

const MAGIC = 0x184d2204;
const FLAG_BLOCK_CHECKSUM = 0x10;
const FLAG_CONTENT_SIZE = 0x08;
const FLAG_DICTIONARY_ID = 0x01;
const BLOCK_UNCOMPRESSED = 0x8000_0000;
/** No sequence of LZ4 expands further: 255 bytes for each byte of a match length. */
const EXPANSION_MAX = 255;
/** Shortest match. */
const MATCH_BYTES_MIN = 4;

/**
 * What an LZ4 frame expands to, found without expanding it: a bound from its block sizes where that already satisfies
 * `enough`, else the exact size from walking its sequences. Nothing that the frame merely claims is believed.
 * Source: the LZ4 frame and block format descriptions.
 *
 * ```
 * magic uint32 · flags · block size code · [content size 8] · [dictionary id 4] · header checksum
 * · (block size uint32, top bit: stored as it is · block · [checksum 4])* · 0 uint32 · [content checksum 4]
 * ```
 */
export function lz4FrameSize(bytes: Buffer, enough: number): number {
  const bound = sumBlocks(bytes, (start, end, blockMax) => Math.min(blockMax, (end - start) * EXPANSION_MAX));
  return bound <= enough ? bound : sumBlocks(bytes, (start, end) => blockSize(bytes, start, end));
}

function sumBlocks(bytes: Buffer, sizeOf: (start: number, end: number, blockMax: number) => number): number {
  if (bytes.length < 7 || bytes.readUInt32LE(0) !== MAGIC) throw decompressionFailed("lz4", "it is no LZ4 frame");
  const flags = bytes.readUInt8(4);
  const blockMax = 1 << (8 + 2 * ((bytes.readUInt8(5) >>> 4) & 7));
  const checksumBytes = flags & FLAG_BLOCK_CHECKSUM ? 4 : 0;
  let at = 7 + (flags & FLAG_CONTENT_SIZE ? 8 : 0) + (flags & FLAG_DICTIONARY_ID ? 4 : 0);
  let size = 0;
  for (;;) {
    if (at + 4 > bytes.length) throw pastTheEnd();
    const header = bytes.readUInt32LE(at);
    if (header === 0) return size;
    const start = at + 4;
    const stored = header >= BLOCK_UNCOMPRESSED;
    const end = start + (stored ? header - BLOCK_UNCOMPRESSED : header);
    if (end > bytes.length) throw pastTheEnd();
    size += stored ? end - start : sizeOf(start, end, blockMax);
    at = end + checksumBytes;
  }
}

/** A block is a run of sequences: token, literals, match. The last one ends after its literals. */
function blockSize(bytes: Buffer, start: number, end: number): number {
  let size = 0;
  let at = start;
  const extended = (nibble: number): number => {
    let length = nibble;
    if (nibble < 15) return length;
    for (let byte = 255; byte === 255; length += byte) {
      if (at >= end) throw pastTheEnd();
      byte = bytes[at++] as number;
    }
    return length;
  };
  while (at < end) {
    const token = bytes[at++] as number;
    const literals = extended(token >>> 4);
    size += literals;
    at += literals;
    if (at >= end) break;
    at += 2; // where the match lies
    size += extended(token & 15) + MATCH_BYTES_MIN;
  }
  if (at !== end) throw pastTheEnd();
  return size;
}

function pastTheEnd(): Error {
  return decompressionFailed("lz4", "a block runs past the end");
}
