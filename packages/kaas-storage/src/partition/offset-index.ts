/**
 * Where batches lie in a segment: a sparse, ascending list of (offset − base offset, position). The offset is the last
 * one of the batch that begins at the position, as in Apache Kafka's index files; earlier versions wrote the first one,
 * and both lead to the same batches. On disk: two big-endian uint32 an entry.
 */
export class OffsetIndex {
  static readonly ENTRY_BYTES: number = 8;
  #entries: Uint32Array;
  #count = 0;

  constructor(capacity = 16) {
    this.#entries = new Uint32Array(capacity * 2);
  }

  get count(): number {
    return this.#count;
  }

  /** What the index takes on disk, and in memory. */
  get sizeBytes(): number {
    return this.#count * OffsetIndex.ENTRY_BYTES;
  }

  /** Both arguments exceed those of the entry before. */
  append(relativeOffset: number, position: number): void {
    if (this.#count * 2 === this.#entries.length) {
      const larger = new Uint32Array(this.#entries.length * 2);
      larger.set(this.#entries);
      this.#entries = larger;
    }
    this.#entries[this.#count * 2] = relativeOffset;
    this.#entries[this.#count * 2 + 1] = position;
    this.#count++;
  }

  /** Position of a batch at or before the one that holds the offset; 0 when the index knows none. */
  positionFor(relativeOffset: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle * 2] as number) <= relativeOffset) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? 0 : (this.#entries[low * 2 - 1] as number);
  }

  encode(): Buffer {
    const bytes = Buffer.allocUnsafe(this.sizeBytes);
    for (let at = 0; at < this.#count * 2; at++) bytes.writeUInt32BE(this.#entries[at] as number, at * 4);
    return bytes;
  }

  /** Undefined when the bytes are no index of a segment of that size. */
  static decode(bytes: Buffer, segmentBytes: number): OffsetIndex | undefined {
    if (bytes.length % OffsetIndex.ENTRY_BYTES !== 0) return undefined;
    const index = new OffsetIndex(Math.max(1, bytes.length / OffsetIndex.ENTRY_BYTES));
    let lastOffset = 0;
    let lastPosition = 0;
    for (let at = 0; at < bytes.length; at += OffsetIndex.ENTRY_BYTES) {
      const offset = bytes.readUInt32BE(at);
      const position = bytes.readUInt32BE(at + 4);
      if (offset <= lastOffset || position <= lastPosition || position >= segmentBytes) return undefined;
      index.append(offset, position);
      lastOffset = offset;
      lastPosition = position;
    }
    return index;
  }
}
