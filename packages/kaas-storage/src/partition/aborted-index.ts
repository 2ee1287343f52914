/** An aborted transaction as a log knows it. */
export interface AbortedRange {
  readonly producerId: number;
  readonly firstOffset: number;
  /** Of the marker that ended it. */
  readonly lastOffset: number;
  /** The last stable offset once it had ended: below, no transaction was open any more. */
  readonly lastStableOffset: number;
}

const VERSION = 0;
const FIELDS = 4;

/**
 * The aborted transactions that ended in one segment, ascending by the offset of their markers. On disk as Apache Kafka
 * keeps it, one entry after the other, big-endian:
 *
 * ```
 * 0 version int16 (0)   2 producerId int64   10 firstOffset int64   18 lastOffset int64   26 lastStableOffset int64
 * ```
 */
export class AbortedIndex {
  static readonly ENTRY_BYTES: number = 34;
  /** Four numbers an entry, in the order of the file. */
  #entries: Float64Array;
  #count = 0;

  constructor(capacity = 4) {
    this.#entries = new Float64Array(capacity * FIELDS);
  }

  get count(): number {
    return this.#count;
  }

  /** What the index takes in memory. */
  get sizeBytes(): number {
    return this.#entries.byteLength;
  }

  /** The marker lies behind that of the entry before. */
  append({ producerId, firstOffset, lastOffset, lastStableOffset }: AbortedRange): void {
    const at = this.#count * FIELDS;
    if (at === this.#entries.length) {
      const larger = new Float64Array(Math.max(FIELDS, at * 2));
      larger.set(this.#entries);
      this.#entries = larger;
    }
    this.#entries[at] = producerId;
    this.#entries[at + 1] = firstOffset;
    this.#entries[at + 2] = lastOffset;
    this.#entries[at + 3] = lastStableOffset;
    this.#count++;
  }

  at(index: number): AbortedRange {
    const at = index * FIELDS;
    return {
      producerId: this.#entries[at] as number,
      firstOffset: this.#entries[at + 1] as number,
      lastOffset: this.#entries[at + 2] as number,
      lastStableOffset: this.#entries[at + 3] as number,
    };
  }

  /**
   * Adds what overlaps `[from, to)` to `found`. True when no later index can have more: an entry says that whatever
   * began below `to` had ended by then.
   */
  collect(from: number, to: number, found: AbortedRange[]): boolean {
    for (let index = this.#firstEndingAt(from); index < this.#count; index++) {
      const entry = this.at(index);
      if (entry.firstOffset < to) found.push(entry);
      if (entry.lastStableOffset >= to) return true;
    }
    return false;
  }

  /** Takes out the entries whose markers lie below an offset. */
  takeBelow(offset: number): AbortedIndex {
    const taken = this.#firstEndingAt(offset);
    const below = AbortedIndex.#of(this.#entries.slice(0, taken * FIELDS));
    this.#entries = this.#entries.slice(taken * FIELDS, this.#count * FIELDS);
    this.#count -= taken;
    return below;
  }

  /** A copy of the entries whose markers lie in `[from, to)`. */
  within(from: number, to: number): AbortedIndex {
    return AbortedIndex.#of(this.#entries.slice(this.#firstEndingAt(from) * FIELDS, this.#firstEndingAt(to) * FIELDS));
  }

  entries(): AbortedRange[] {
    return Array.from({ length: this.#count }, (_, index) => this.at(index));
  }

  encode(): Buffer {
    const bytes = Buffer.allocUnsafe(this.#count * AbortedIndex.ENTRY_BYTES);
    for (let index = 0; index < this.#count; index++) {
      const start = index * AbortedIndex.ENTRY_BYTES;
      bytes.writeInt16BE(VERSION, start);
      for (let field = 0; field < FIELDS; field++) {
        bytes.writeBigInt64BE(BigInt(this.#entries[index * FIELDS + field] as number), start + 2 + field * 8);
      }
    }
    return bytes;
  }

  /** Undefined when the bytes are no index of a segment that holds `[baseOffset, nextOffset)`. */
  static decode(bytes: Buffer, baseOffset: number, nextOffset: number): AbortedIndex | undefined {
    if (bytes.length % AbortedIndex.ENTRY_BYTES !== 0) return undefined;
    const index = new AbortedIndex(bytes.length / AbortedIndex.ENTRY_BYTES);
    let previous = baseOffset - 1;
    for (let at = 0; at < bytes.length; at += AbortedIndex.ENTRY_BYTES) {
      const entry = readEntry(bytes, at);
      const isInside = entry.lastOffset > previous && entry.lastOffset < nextOffset;
      const isOrdered = entry.firstOffset <= entry.lastOffset && entry.lastStableOffset <= entry.lastOffset + 1;
      const isSane = entry.producerId >= 0 && entry.firstOffset >= 0 && entry.lastStableOffset >= 0;
      if (bytes.readInt16BE(at) !== VERSION || !isInside || !isOrdered || !isSane) return undefined;
      index.append(entry);
      previous = entry.lastOffset;
    }
    return index;
  }

  static of(entries: Iterable<AbortedRange>): AbortedIndex {
    const index = new AbortedIndex();
    for (const entry of entries) index.append(entry);
    return index;
  }

  static #of(entries: Float64Array): AbortedIndex {
    const index = new AbortedIndex(0);
    index.#entries = entries;
    index.#count = entries.length / FIELDS;
    return index;
  }

  /** The first entry whose marker is at the offset or above. */
  #firstEndingAt(offset: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle * FIELDS + 2] as number) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function readEntry(bytes: Buffer, at: number): AbortedRange {
  return {
    producerId: Number(bytes.readBigInt64BE(at + 2)),
    firstOffset: Number(bytes.readBigInt64BE(at + 10)),
    lastOffset: Number(bytes.readBigInt64BE(at + 18)),
    lastStableOffset: Number(bytes.readBigInt64BE(at + 26)),
  };
}
