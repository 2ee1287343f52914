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
  /**
   * Called with the bytes of verified batches, all of a window at once, after they were visited; the walk goes on
   * meanwhile, and leaves the buffer alone until the promise resolves. Of a batch that is larger than a window the
   * bytes behind the window are missing.
   */
  verified?(buffer: Buffer, start: number, end: number, position: number): Promise<void>;
}

export interface WalkEnd {
  /** Behind the last whole and valid batch. */
  readonly position: number;
  readonly nextOffset: number;
}

/** Goes through the batches of a segment up to the first that is not whole and valid. */
export async function walkBatches(handle: FileHandle, options: WalkOptions): Promise<WalkEnd> {
  const { from, to, offset } = options;
  const windowBytes = Math.max(batch.BATCH_HEADER_BYTES, Math.min(WINDOW_BYTES, to - from));
  const end = { position: from, nextOffset: offset };
  let window: Buffer = Buffer.allocUnsafeSlow(windowBytes);
  let other: Buffer | undefined;
  let inUse: Promise<void> = Promise.resolve();
  try {
    for (let goesOn = true; goesOn && end.position + batch.BATCH_HEADER_BYTES <= to; ) {
      const { position } = end;
      const filled = await handle.read(window, position);
      const walked = await walkWindow(handle, options, window, filled, end);
      goesOn = walked.goesOn;
      if (options.verified === undefined || walked.verifiedTo <= walked.verifiedFrom) continue;
      await inUse;
      const { verifiedFrom, verifiedTo } = walked;
      inUse = options.verified(window, verifiedFrom, verifiedTo, position + verifiedFrom);
      inUse.catch(() => undefined); // awaited before the next, or at the end
      [window, other] = [other ?? Buffer.allocUnsafeSlow(windowBytes), window];
    }
  } finally {
    await inUse;
  }
  return end;
}

/** What a window held: verified batches in a part of it, and whether the walk goes on behind it. */
interface WalkedWindow {
  readonly goesOn: boolean;
  readonly verifiedFrom: number;
  readonly verifiedTo: number;
}

/** Goes through the batches of a window that is filled from `end.position` on, and moves `end` behind them. */
async function walkWindow(
  handle: FileHandle,
  options: WalkOptions,
  window: Buffer,
  filled: number,
  end: { position: number; nextOffset: number },
): Promise<WalkedWindow> {
  const { position } = end;
  let verifiedFrom = Number.POSITIVE_INFINITY;
  let verifiedTo = 0;
  let goesOn = true;
  let at = 0;
  while (goesOn && at + batch.BATCH_HEADER_BYTES <= filled) {
    const size = batch.batchSize(window, at);
    goesOn = isHeader(window, at, end.nextOffset) && position + at + size <= options.to;
    if (!goesOn) break;
    const isVerified = position + at >= options.verifyFrom;
    const isCut = at + size > filled && at > 0;
    if (isCut && (isVerified || batch.isControl(window, at))) break; // continue with a window that begins here
    if (isVerified) {
      const computed = checksum(handle, window, filled, at, size, position);
      // Nearly always it is there: a turn of the microtask queue for each batch would be felt.
      goesOn = (typeof computed === "number" ? computed : await computed) === batch.crc(window, at);
      if (!goesOn) break;
    }
    goesOn = options.visit(window, at, position + at);
    end.nextOffset = batch.lastOffset(window, at) + 1;
    if (isVerified && goesOn) {
      verifiedFrom = Math.min(verifiedFrom, at);
      verifiedTo = Math.min(filled, at + size);
    }
    at += size;
  }
  end.position += at;
  return { goesOn: goesOn && at > 0, verifiedFrom, verifiedTo };
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
