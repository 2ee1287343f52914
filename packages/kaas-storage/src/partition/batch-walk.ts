import { batch, crc32c } from "@kaas/core/internal";
import type { FileHandle } from "../file-system/file-system.js";

const WINDOW_BYTES = 1024 * 1024;

export interface WalkOptions {
  /** Positions in the file. */
  readonly from: number;
  readonly to: number;
  /** The least that the first batch's offset may be. */
  readonly offset: number;
  /** From which position on checksums are verified; what lies before is known to be durable. */
  readonly verifyFrom: number;
  /**
   * Called for each batch with its header in `buffer` at `start`; the rest may be missing, unless it is a control batch.
   * False ends the walk behind this batch.
   */
  visit(buffer: Buffer, start: number, position: number): boolean;
}

export interface WalkEnd {
  /** Behind the last whole and valid batch. */
  readonly position: number;
  readonly nextOffset: number;
}

/** Goes through the batches of a segment up to the first that is not whole and valid. */
export async function walkBatches(handle: FileHandle, options: WalkOptions): Promise<WalkEnd> {
  const window = Buffer.allocUnsafeSlow(Math.max(batch.BATCH_HEADER_BYTES, Math.min(WINDOW_BYTES, options.to)));
  let position = options.from;
  let nextOffset = options.offset;
  while (position + batch.BATCH_HEADER_BYTES <= options.to) {
    const filled = await handle.read(window, position);
    let at = 0;
    while (at + batch.BATCH_HEADER_BYTES <= filled) {
      if (!isHeader(window, at, nextOffset)) return { position: position + at, nextOffset };
      const size = batch.batchSize(window, at);
      if (position + at + size > options.to) return { position: position + at, nextOffset };
      const isVerified = position + at >= options.verifyFrom;
      const isCut = at + size > filled && at > 0;
      if (isCut && (isVerified || batch.isControl(window, at))) break; // continue with a window that begins here
      if (isVerified) {
        const computed = await checksum(handle, window, filled, at, size, position);
        if (computed !== batch.crc(window, at)) return { position: position + at, nextOffset };
      }
      const goesOn = options.visit(window, at, position + at);
      nextOffset = batch.lastOffset(window, at) + 1;
      at += size;
      if (!goesOn) return { position: position + at, nextOffset };
    }
    if (at === 0) break;
    position += at;
  }
  return { position, nextOffset };
}

/** Whether this looks like the header of a batch; zeros, as preallocation leaves them, do not. */
function isHeader(buffer: Buffer, at: number, offsetMin: number): boolean {
  return (
    batch.magic(buffer, at) === batch.MAGIC_V2 &&
    batch.batchSize(buffer, at) >= batch.BATCH_HEADER_BYTES &&
    batch.baseOffset(buffer, at) >= offsetMin &&
    batch.lastOffsetDelta(buffer, at) >= 0
  );
}

/** The checksum of a batch that begins in the window, and may be larger than it. */
function checksum(
  handle: FileHandle,
  window: Buffer,
  filled: number,
  at: number,
  size: number,
  position: number,
): number | Promise<number> {
  const whole = Math.min(filled, at + size);
  const computed = crc32c(window, at + batch.BATCH_CRC_START, whole);
  return at + size <= filled ? computed : checksumOfRest(handle, position + whole, position + at + size, computed);
}

async function checksumOfRest(handle: FileHandle, from: number, to: number, seed: number): Promise<number> {
  let computed = seed;
  for (let position = from; position < to; ) {
    const piece = Buffer.allocUnsafeSlow(Math.min(WINDOW_BYTES, to - position));
    const count = await handle.read(piece, position);
    if (count === 0) break;
    computed = crc32c(piece, 0, count, computed);
    position += count;
  }
  return computed;
}
