import { noteRecordDecoded } from "./decode-counts.js";
import { invalidRecords, VarintReader } from "./varint.js";

/** One header of a record. */
export interface RecordHeader {
  readonly key: string;
  readonly value: Buffer | null;
}

/** What the header of a batch says about all of its records. */
export interface RecordBase {
  readonly count: number;
  readonly offset: number;
  readonly timestamp: number;
  /** The time of every record where the broker set it (LogAppendTime). */
  readonly appendTime: number | undefined;
}

/**
 * Walks over the records of one batch, one after the other. The reader is the record: its fields describe the one that
 * {@link next} came to, and nothing is allocated until a key, a value or the headers are asked for. They are views
 * into the buffer.
 *
 * ```
 * length varint · attributes int8 · timestampDelta varlong · offsetDelta varint
 * · key varint + bytes · value varint + bytes · headers varint × (key varint + utf8 · value varint + bytes)
 * ```
 *
 * Whatever does not fit throws `KAAS_RECORDS_INVALID`: lengths, the number of records, bytes that are left over.
 */
export class RecordReader {
  timestampDelta = 0;
  offsetDelta = 0;
  /** Where the record begins in {@link buffer}, its length included. */
  start: number;
  /** Where it ends. */
  end: number;
  /** Where the record goes on behind its timestamp. */
  afterTimestamp = 0;
  readonly buffer: Buffer;
  readonly #base: RecordBase;
  readonly #cursor: VarintReader;
  readonly #limit: number;
  #remaining: number;
  #sizeBytes = 0;
  #keyStart = 0;
  #keySize = -1;
  #valueStart = 0;
  #valueSize = -1;
  #headersStart = 0;
  #headerCount = 0;

  /** `records` are the batch's records, decompressed. */
  constructor(records: Buffer, base: RecordBase) {
    this.buffer = records;
    this.#base = base;
    this.#cursor = new VarintReader(records);
    this.#limit = records.length;
    this.#remaining = base.count;
    this.start = 0;
    this.end = 0;
  }

  get offset(): number {
    return this.#base.offset + this.offsetDelta;
  }

  get timestamp(): number {
    return this.#base.appendTime ?? this.#base.timestamp + this.timestampDelta;
  }

  /** Goes to the next record; false when there is none left. */
  next(): boolean {
    const cursor = this.#cursor;
    if (this.#remaining <= 0) {
      if (this.end !== this.#limit) throw invalidRecords(`${this.#limit - this.end} bytes follow the last record`);
      return false;
    }
    this.#remaining--;
    this.start = this.end;
    cursor.position = this.start;
    cursor.end = this.#limit;
    const size = cursor.varint();
    if (size < 0 || size > this.#limit - cursor.position) {
      throw invalidRecords(`a record says ${size} bytes where ${this.#limit - cursor.position} are left`);
    }
    this.#sizeBytes = size;
    this.end = cursor.position + size;
    cursor.end = this.end;
    cursor.byte(); // attributes: none is defined
    this.timestampDelta = cursor.varlong();
    this.afterTimestamp = cursor.position;
    this.offsetDelta = cursor.varint();
    this.#keySize = cursor.varint();
    this.#keyStart = this.#skip(this.#keySize);
    this.#valueSize = cursor.varint();
    this.#valueStart = this.#skip(this.#valueSize);
    this.#headerCount = cursor.varint();
    this.#headersStart = cursor.position;
    this.#skipHeaders();
    noteRecordDecoded();
    return true;
  }

  /** What the record says of itself: its bytes behind the length. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get hasKey(): boolean {
    return this.#keySize >= 0;
  }

  get key(): Buffer | null {
    return this.#keySize < 0 ? null : this.buffer.subarray(this.#keyStart, this.#keyStart + this.#keySize);
  }

  /** False for a tombstone. */
  get hasValue(): boolean {
    return this.#valueSize >= 0;
  }

  get value(): Buffer | null {
    return this.#valueSize < 0 ? null : this.buffer.subarray(this.#valueStart, this.#valueStart + this.#valueSize);
  }

  get headers(): RecordHeader[] {
    const cursor = this.#cursor;
    cursor.position = this.#headersStart;
    const headers: RecordHeader[] = [];
    for (let left = this.#headerCount; left > 0; left--) {
      const keySize = cursor.varint();
      const keyStart = this.#skip(keySize);
      const valueSize = cursor.varint();
      const valueStart = this.#skip(valueSize);
      headers.push({
        key: this.buffer.toString("utf8", keyStart, keyStart + keySize),
        value: valueSize < 0 ? null : this.buffer.subarray(valueStart, valueStart + valueSize),
      });
    }
    return headers;
  }

  #skipHeaders(): void {
    const cursor = this.#cursor;
    if (this.#headerCount < 0) throw invalidRecords(`a record says ${this.#headerCount} headers`);
    for (let left = this.#headerCount; left > 0; left--) {
      const keySize = cursor.varint();
      if (keySize < 0) throw invalidRecords("a record header has no key");
      this.#skip(keySize);
      this.#skip(cursor.varint());
    }
    if (cursor.position !== this.end) throw invalidRecords("a record's length does not fit its content");
  }

  /** Steps over a field and returns where it began; a negative size is null. */
  #skip(size: number): number {
    const at = this.#cursor.position;
    if (size <= 0) return at;
    if (size > this.end - at)
      throw invalidRecords(`a field of ${size} bytes in a record that has ${this.end - at} left`);
    this.#cursor.position = at + size;
    return at;
  }
}
