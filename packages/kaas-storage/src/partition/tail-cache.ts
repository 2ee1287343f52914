import type { SharedLease } from "@kaas/core";
import { batch } from "@kaas/core/internal";
import { Fifo } from "./fifo.js";

/** One append as it lies in the log: whole batches, offsets set. */
interface TailEntry {
  buffer: Buffer;
  /** What the buffer's memory is lent by, if it is; held as long as the buffer is. */
  memory: SharedLease | undefined;
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly owner: LogTail;
}

/** Batches that were found in memory. */
export interface TailRead {
  readonly records: readonly Buffer[];
  readonly sizeBytes: number;
  /** What their memory is lent by, each held once for the reader. */
  readonly memories: readonly SharedLease[];
}

const EMPTY: Buffer = Buffer.alloc(0);
/** Counted for each entry beside its bytes. */
const ENTRY_OVERHEAD_BYTES = 128;
/** An append larger than this part of the cache would push everybody else out, and is left to the page cache. */
const LARGEST_SHARE = 1 / 4;

/**
 * What was appended most recently, to all logs together, in as many bytes as allowed: consumers at the head are served
 * from here without a system call and without a copy. The oldest goes first, whichever log it is of. Appends of one
 * request are neighbours, so that the frame they are views of is let go as a whole.
 */
export class TailCache {
  readonly #bytesMax: number;
  readonly #entries = new Fifo<TailEntry>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get sizeBytes(): number {
    return this.#bytes;
  }

  admits(buffer: Buffer): boolean {
    return buffer.length <= this.#bytesMax * LARGEST_SHARE;
  }

  add(entry: TailEntry): void {
    this.#entries.push(entry);
    this.#bytes += entry.buffer.length + ENTRY_OVERHEAD_BYTES;
    while (this.#bytes > this.#bytesMax) {
      const oldest = this.#entries.shift();
      if (oldest === undefined) break;
      this.#bytes -= oldest.buffer.length + ENTRY_OVERHEAD_BYTES;
      oldest.owner.evicted(oldest);
      oldest.memory?.release();
    }
  }

  /** Lets go of an entry's bytes; the entry itself leaves when its turn comes. */
  drop(entry: TailEntry): void {
    this.#bytes -= entry.buffer.length;
    entry.buffer = EMPTY;
    entry.memory?.release();
    entry.memory = undefined;
  }
}

/** The part of the cache that belongs to one log: adjacent appends up to its end. */
export class LogTail {
  readonly #cache: TailCache;
  readonly #entries = new Fifo<TailEntry>();

  constructor(cache: TailCache) {
    this.#cache = cache;
  }

  /** The lowest offset that can be served from here. */
  get startOffset(): number {
    return this.#entries.at(0)?.baseOffset ?? Number.POSITIVE_INFINITY;
  }

  /** Takes an append that follows the one before without a gap. */
  add(buffer: Buffer, memory: SharedLease | undefined, baseOffset: number, nextOffset: number): void {
    if (!this.#cache.admits(buffer)) {
      this.clear();
      return;
    }
    memory?.retain();
    const entry: TailEntry = { buffer, memory, baseOffset, nextOffset, owner: this };
    this.#entries.push(entry);
    this.#cache.add(entry);
  }

  evicted(entry: TailEntry): void {
    if (this.#entries.at(0) === entry) this.#entries.shift();
  }

  /** Lets go of appends that end at the offset or below: they are not what they were in the file any more. */
  dropBelow(offset: number): void {
    for (let oldest = this.#entries.at(0); oldest !== undefined; oldest = this.#entries.at(0)) {
      if (oldest.nextOffset > offset) return;
      this.#cache.drop(oldest);
      this.#entries.shift();
    }
  }

  clear(): void {
    for (let at = 0; at < this.#entries.length; at++) this.#cache.drop(this.#entries.at(at) as TailEntry);
    this.#entries.clear();
  }

  /**
   * Whole batches from the one that holds `offset`, below `endOffset` and up to `bytesMax`; the first one even if it
   * is larger when `minOneBatch`. Asks for an offset from {@link startOffset} on.
   */
  read(offset: number, endOffset: number, bytesMax: number, minOneBatch: boolean): TailRead {
    const records: Buffer[] = [];
    const memories: SharedLease[] = [];
    let sizeBytes = 0;
    for (let at = this.#indexOf(offset); at < this.#entries.length; at++) {
      const entry = this.#entries.at(at) as TailEntry;
      if (entry.baseOffset >= endOffset) break;
      const whole = entry.nextOffset <= endOffset ? entry.buffer.length : endBelow(entry.buffer, endOffset);
      const start = records.length === 0 ? batchHolding(entry.buffer, offset) : 0;
      const room = bytesMax - sizeBytes;
      const end =
        whole - start <= room
          ? whole
          : wholeBatchesEnd(entry.buffer, start, start + room, minOneBatch && records.length === 0);
      if (end > start) {
        records.push(start === 0 && end === entry.buffer.length ? entry.buffer : entry.buffer.subarray(start, end));
        sizeBytes += end - start;
        hold(entry.memory, memories);
      }
      if (end < entry.buffer.length) break;
    }
    return { records, sizeBytes, memories };
  }

  #indexOf(offset: number): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries.at(middle) as TailEntry).nextOffset <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Holds the memory for the reader; neighbours share theirs more often than not. */
function hold(memory: SharedLease | undefined, held: SharedLease[]): void {
  if (memory === undefined || memory === held.at(-1)) return;
  memory.retain();
  held.push(memory);
}

/** Where the batch that holds the offset begins. */
function batchHolding(buffer: Buffer, offset: number): number {
  let at = 0;
  while (batch.lastOffset(buffer, at) < offset) at += batch.batchSize(buffer, at);
  return at;
}

/** Where the last batch ends that lies below the offset. */
export function endBelow(buffer: Buffer, offset: number): number {
  let at = 0;
  while (at < buffer.length && batch.lastOffset(buffer, at) < offset) at += batch.batchSize(buffer, at);
  return at;
}

/** The last end of a batch that is at or below `limit`; the end of the first batch at least, if so wanted. */
export function wholeBatchesEnd(buffer: Buffer, start: number, limit: number, minOneBatch: boolean): number {
  let at = start;
  while (at + batch.BATCH_HEADER_BYTES <= buffer.length) {
    const end = at + batch.batchSize(buffer, at);
    if (end > limit && !(minOneBatch && at === start)) break;
    if (end > buffer.length) break;
    at = end;
  }
  return at;
}
