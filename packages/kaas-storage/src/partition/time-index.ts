/**
 * When a segment's largest timestamp rose: a sparse, ascending list of (timestamp, offset − base offset). The offset is
 * the last one of the first batch that has the timestamp, as in Apache Kafka's index files; earlier versions wrote the
 * first one. All records before that batch are older than the entry says. On disk: a big-endian int64 and a uint32 an
 * entry.
 */
export class TimeIndex {
  static readonly ENTRY_BYTES: number = 12;
  #timestamps = new Float64Array(8);
  #offsets = new Uint32Array(8);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get sizeBytes(): number {
    return this.#count * TimeIndex.ENTRY_BYTES;
  }

  /** Ignores a timestamp that does not exceed the last one. */
  append(timestamp: number, relativeOffset: number): void {
    if (timestamp < 0) return;
    if (this.#count > 0 && timestamp <= (this.#timestamps[this.#count - 1] as number)) return;
    if (this.#count === this.#timestamps.length) this.#grow();
    this.#timestamps[this.#count] = timestamp;
    this.#offsets[this.#count] = relativeOffset;
    this.#count++;
  }

  /** Relative offset from which to look for the first record that is at least that young. */
  startFor(timestamp: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#timestamps[middle] as number) <= timestamp) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? 0 : (this.#offsets[low - 1] as number);
  }

  encode(): Buffer {
    const bytes = Buffer.allocUnsafe(this.sizeBytes);
    for (let entry = 0; entry < this.#count; entry++) {
      bytes.writeBigInt64BE(BigInt(this.#timestamps[entry] as number), entry * TimeIndex.ENTRY_BYTES);
      bytes.writeUInt32BE(this.#offsets[entry] as number, entry * TimeIndex.ENTRY_BYTES + 8);
    }
    return bytes;
  }

  /** Undefined when the bytes are no index of a segment of so many offsets. */
  static decode(bytes: Buffer, offsetCount: number): TimeIndex | undefined {
    if (bytes.length % TimeIndex.ENTRY_BYTES !== 0) return undefined;
    const index = new TimeIndex();
    let lastOffset = -1;
    for (let at = 0; at < bytes.length; at += TimeIndex.ENTRY_BYTES) {
      const before = index.#count;
      const offset = bytes.readUInt32BE(at + 8);
      index.append(Number(bytes.readBigInt64BE(at)), offset);
      if (index.#count === before || offset <= lastOffset || offset >= offsetCount) return undefined;
      lastOffset = offset;
    }
    return index;
  }

  #grow(): void {
    const timestamps = new Float64Array(this.#timestamps.length * 2);
    timestamps.set(this.#timestamps);
    this.#timestamps = timestamps;
    const offsets = new Uint32Array(this.#offsets.length * 2);
    offsets.set(this.#offsets);
    this.#offsets = offsets;
  }
}
