import { decompressionFailed } from "./codec.js";

const MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
/** No block regenerates more, whatever its window. */
const BLOCK_BYTES_MAX = 128 * 1024;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];

/** One frame of a Zstandard stream. */
export interface ZstdFrame {
  readonly start: number;
  readonly end: number;
  /** The most that it can expand to: its content size where it says one, else a bound from its blocks. */
  readonly sizeMax: number;
  /** Whether it says its content size. */
  readonly isSizeKnown: boolean;
}

/**
 * The frames of a Zstandard stream; skippable ones are left out. Sizes that are claimed but cannot be reached by the
 * blocks that are there are refused. Source: RFC 8878.
 */
export function zstdFrames(bytes: Buffer): ZstdFrame[] {
  const frames: ZstdFrame[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (at + 8 > bytes.length) throw pastTheEnd();
    const magic = bytes.readUInt32LE(at);
    if ((magic & 0xffff_fff0) >>> 0 === SKIPPABLE_MAGIC) {
      at += 8 + bytes.readUInt32LE(at + 4);
      if (at > bytes.length) throw pastTheEnd();
    } else if (magic === MAGIC) {
      const frame = readFrame(bytes, at);
      frames.push(frame);
      at = frame.end;
    } else {
      throw decompressionFailed("zstd", "it is no Zstandard frame");
    }
  }
  return frames;
}

/**
 * ```
 * magic uint32 · descriptor · [window 1] · [dictionary id 1, 2, 4] · [content size 1, 2, 4, 8] · blocks · [checksum 4]
 * ```
 */
function readFrame(bytes: Buffer, start: number): ZstdFrame {
  const descriptor = bytes.readUInt8(start + 4);
  const hasChecksum = (descriptor & 0x04) !== 0;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeCode = descriptor >>> 6;
  const sizeBytes = sizeCode === 0 ? (isSingleSegment ? 1 : 0) : 1 << sizeCode;
  const sizeAt = start + 5 + (isSingleSegment ? 0 : 1) + (DICTIONARY_ID_BYTES[descriptor & 3] as number);
  if (sizeAt + sizeBytes > bytes.length) throw pastTheEnd();
  const blocks = readBlocks(bytes, sizeAt + sizeBytes);
  const end = blocks.end + (hasChecksum ? 4 : 0);
  if (end > bytes.length) throw pastTheEnd();
  if (sizeBytes === 0) return { start, end, sizeMax: blocks.sizeMax, isSizeKnown: false };
  const size = contentSize(bytes, sizeAt, sizeBytes);
  if (size > blocks.sizeMax) throw decompressionFailed("zstd", `it claims ${size} bytes that it cannot hold`);
  return { start, end, sizeMax: size, isSizeKnown: true };
}

function contentSize(bytes: Buffer, at: number, sizeBytes: number): number {
  if (sizeBytes === 8) return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
  return bytes.readUIntLE(at, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
}

function readBlocks(bytes: Buffer, start: number): { readonly end: number; readonly sizeMax: number } {
  let at = start;
  let sizeMax = 0;
  for (;;) {
    if (at + 3 > bytes.length) throw pastTheEnd();
    const header = bytes.readUIntLE(at, 3);
    const type = (header >>> 1) & 3;
    const size = header >>> 3;
    if (type === 3 || size > BLOCK_BYTES_MAX) throw decompressionFailed("zstd", "a block is not valid");
    const isRepeated = type === 1;
    const isCompressed = type === 2;
    at += 3 + (isRepeated ? 1 : size);
    if (at > bytes.length) throw pastTheEnd();
    sizeMax += isCompressed ? BLOCK_BYTES_MAX : size;
    if ((header & 1) === 1) return { end: at, sizeMax };
  }
}

function pastTheEnd(): Error {
  return decompressionFailed("zstd", "a frame runs past the end");
}
