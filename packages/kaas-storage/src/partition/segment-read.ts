/** Reading batches of a segment's file: a piece is read, and either holds what is wanted or says which piece does. */
import { batch, type PooledBuffer } from "@kaas/core/internal";
import type { FileHandle } from "../file-system/file-system.js";
import type { ReadMemory } from "./read-memory.js";
import type { Segment } from "./segment.js";
import { wholeBatchesEnd } from "./tail-cache.js";

/** What is looked for in a segment. */
export interface Want {
  readonly offset: number;
  /** Where to stop; undefined where that is the end of what is visible. */
  readonly endOffset: number | undefined;
  /** End of what is visible in the segment. */
  readonly endPosition: number;
  readonly maxBytes: number;
  readonly minOneBatch: boolean;
}

/** The next piece of the file to read. */
export interface Piece {
  readonly position: number;
  readonly size: number;
}

/** Whole batches from the one that was wanted on. */
interface Found {
  readonly records: Buffer;
  readonly endPosition: number;
}

/** What was found, in memory that has to be given back. */
export interface LentFound extends Found {
  readonly memory: PooledBuffer;
}

/** Reads pieces until what is wanted is there; undefined where that is nothing. Throws where there is no batch. */
export function readSync(memory: ReadMemory, handle: FileHandle, first: Piece, want: Want): LentFound | undefined {
  for (let piece: Piece | undefined = first; piece !== undefined; ) {
    const lent = memory.take(piece.size);
    let outcome: Found | Piece | undefined;
    try {
      const buffer = lent.bytes.subarray(0, piece.size);
      outcome = interpret(buffer, handle.readSync(buffer, piece.position), piece, want);
    } catch (error) {
      lent.release();
      throw error;
    }
    if (outcome !== undefined && "records" in outcome) return { ...outcome, memory: lent };
    lent.release();
    piece = outcome;
  }
  return undefined;
}

/** The same, by a thread of the pool. */
export async function readAsync(
  memory: ReadMemory,
  handle: FileHandle,
  first: Piece,
  want: Want,
): Promise<LentFound | undefined> {
  for (let piece: Piece | undefined = first; piece !== undefined; ) {
    const lent = memory.take(piece.size);
    let outcome: Found | Piece | undefined;
    try {
      const buffer = lent.bytes.subarray(0, piece.size);
      outcome = interpret(buffer, await handle.read(buffer, piece.position), piece, want);
    } catch (error) {
      lent.release();
      throw error;
    }
    if (outcome !== undefined && "records" in outcome) return { ...outcome, memory: lent };
    lent.release();
    piece = outcome;
  }
  return undefined;
}

/** What is read first: from where an index or an earlier read says that the batch is, or one before it. */
export function firstPiece(position: number, want: Want): Piece {
  const size = Math.min(Math.max(want.maxBytes, batch.BATCH_HEADER_BYTES), want.endPosition - position);
  return { position, size };
}

/** Finds the wanted batches in a piece that begins with a batch, or says what has to be read instead. */
function interpret(buffer: Buffer, filled: number, piece: Piece, want: Want): Found | Piece | undefined {
  if (filled < piece.size) throw new Error(`the file ends at byte ${piece.position + filled}`);
  let start = 0;
  while (start + batch.BATCH_HEADER_BYTES <= filled && batch.lastOffset(buffer, start) < want.offset) {
    start += sizeAt(buffer, start, piece);
  }
  if (start + batch.BATCH_HEADER_BYTES > filled) {
    const position = piece.position + start;
    return position >= want.endPosition ? undefined : firstPiece(position, want);
  }
  const size = sizeAt(buffer, start, piece);
  if (start + size > filled) return wholeBatch(piece.position + start, size, want);
  if (size > want.maxBytes && !want.minOneBatch) return undefined;
  const end = wholeBatchesEnd(buffer.subarray(0, filled), start, start + want.maxBytes, want.minOneBatch);
  return { records: buffer.subarray(start, end), endPosition: piece.position + end };
}

/** The wanted batch does not end in the piece: read it for itself, with what may follow. */
function wholeBatch(position: number, size: number, want: Want): Piece | undefined {
  if (size > want.maxBytes && !want.minOneBatch) return undefined;
  return { position, size: Math.min(Math.max(size, want.maxBytes), want.endPosition - position) };
}

function sizeAt(buffer: Buffer, start: number, piece: Piece): number {
  const size = batch.batchSize(buffer, start);
  if (size < batch.BATCH_HEADER_BYTES || batch.magic(buffer, start) !== batch.MAGIC_V2) {
    throw new Error(`no record batch begins at byte ${piece.position + start}`);
  }
  return size;
}

/** The last offset of some whole batches. */
export function lastOffsetOf(records: Buffer): number {
  let last = 0;
  for (let at = 0; at < records.length; at += batch.batchSize(records, at)) last = at;
  return batch.lastOffset(records, last);
}

/**
 * The offset that the last batch ends with. No checksum covers where a batch begins: one that is out of order, or outside
 * of its segment, would send its reader somewhere else in the log.
 */
export function checkedLastOffset(records: Buffer, segment: Segment, startPosition: number): number {
  let lastOffset = segment.baseOffset - 1;
  for (let at = 0; at < records.length; at += batch.batchSize(records, at)) {
    const isBehind = batch.baseOffset(records, at) > lastOffset;
    lastOffset = batch.lastOffset(records, at);
    if (!isBehind || lastOffset >= segment.nextOffset) {
      throw new Error(`the batch at byte ${startPosition + at} says that it has offset ${lastOffset}`);
    }
  }
  return lastOffset;
}
