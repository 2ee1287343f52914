import { assert } from "../errors/kaas-error.js";
import { STRING_BYTES_MAX } from "./limits.js";

const TWO_POW_32 = 0x1_0000_0000;
const INT64_LIMIT = 2 ** 63;

/** Size of the slab that responses are cut from; a larger response gets a slab of its own. */
const SLAB_BYTES = 64 * 1024;
/** Below this size it is cheaper to copy bytes into the slab than to hand the socket one more buffer. */
const COPY_BYTES_MAX = 1024;

const VARINT_BYTES_MAX = 5;
const UUID_TEXT_LENGTH = 22;

/** Record data as it lies in memory: one buffer, or several that follow each other. */
export type Records = Buffer | readonly Buffer[];

/** Total size of record data in bytes. */
export function recordsSize(records: Records): number {
  if (Buffer.isBuffer(records)) return records.length;
  let size = 0;
  for (const part of records) size += part.length;
  return size;
}

/** Stands for the rest of a message. */
const ELLIPSIS = "…";

/**
 * Writes Kafka's primitive types. One writer serves many messages one after the other: each is cut from a shared
 * slab, and large `bytes` and `records` are not copied but handed on as they are, so that a message comes out as a
 * short list of buffers for one `writev`.
 *
 * int64 takes a number and saturates at the limits of the type.
 */
export class Writer {
  #buffer: Buffer = Buffer.allocUnsafeSlow(SLAB_BYTES);
  #view: DataView = viewOf(this.#buffer);
  #position = 0;
  /** Where the piece begins that is not yet in `#pieces`. */
  #start = 0;
  #pieces: Buffer[] = [];
  #piecesSize = 0;
  /** How many tagged fields are open; what they hold stays in one piece, so that its size can be put before it. */
  #openTags = 0;
  #lastUuid: string | undefined;
  readonly #lastUuidBytes: Buffer = Buffer.alloc(16);

  /** Bytes written since the last `finish`. */
  get size(): number {
    return this.#piecesSize + this.#position - this.#start;
  }

  /** Ends the message and returns its bytes, in order. */
  finish(): Buffer[] {
    this.#cut();
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#piecesSize = 0;
    return pieces;
  }

  /** Ends a message that began with a reserved int32, and puts the size of what follows into it. */
  finishFrame(): Buffer[] {
    const size = this.size - 4;
    const pieces = this.finish();
    const first = pieces[0];
    assert(first !== undefined && first.length >= 4, "a frame begins with its length");
    first.writeInt32BE(size, 0);
    return pieces;
  }

  /** Throws away what was written since the last `finish`. */
  abandon(): void {
    this.#position = this.#start;
    this.#pieces = [];
    this.#piecesSize = 0;
    this.#openTags = 0;
  }

  int8(value: number): void {
    const at = this.#reserve(1);
    this.#view.setInt8(at, value);
  }

  uint8(value: number): void {
    const at = this.#reserve(1);
    this.#view.setUint8(at, value);
  }

  bool(value: boolean): void {
    const at = this.#reserve(1);
    this.#view.setUint8(at, value ? 1 : 0);
  }

  int16(value: number): void {
    const at = this.#reserve(2);
    this.#view.setInt16(at, value);
  }

  uint16(value: number): void {
    const at = this.#reserve(2);
    this.#view.setUint16(at, value);
  }

  int32(value: number): void {
    const at = this.#reserve(4);
    this.#view.setInt32(at, value);
  }

  uint32(value: number): void {
    const at = this.#reserve(4);
    this.#view.setUint32(at, value);
  }

  int64(value: number): void {
    const at = this.#reserve(8);
    if (value >= INT64_LIMIT) {
      this.#view.setInt32(at, 0x7fffffff);
      this.#view.setInt32(at + 4, -1);
      return;
    }
    const inRange = value < -INT64_LIMIT ? -INT64_LIMIT : value;
    const high = Math.floor(inRange / TWO_POW_32);
    this.#view.setInt32(at, high);
    this.#view.setUint32(at + 4, inRange - high * TWO_POW_32);
  }

  float64(value: number): void {
    const at = this.#reserve(8);
    this.#view.setFloat64(at, value);
  }

  /** Answers name the same topic over and over: the UUID that was written last is copied. */
  uuid(value: string): void {
    if (value !== this.#lastUuid) {
      const size = this.#lastUuidBytes.write(value, 0, 16, "base64url");
      const isUuid = size === 16 && value.length === UUID_TEXT_LENGTH;
      this.#lastUuid = isUuid ? value : undefined;
      assert(isUuid, `"${value}" is no UUID of 22 characters`);
    }
    const at = this.#reserve(16);
    this.#buffer.set(this.#lastUuidBytes, at);
  }

  unsignedVarint(value: number): void {
    const at = this.#reserve(VARINT_BYTES_MAX);
    this.#position = this.#varintAt(at, value);
  }

  string(value: string): void {
    const size = stringSize(value);
    this.int16(size);
    this.#text(value, size);
  }

  /**
   * Names in answers were read from a request, and fit. A message may quote one of them, and does not fit then: it is cut.
   * All messages are nullable.
   */
  nullableString(value: string | null): void {
    if (value === null) this.int16(-1);
    else this.string(fitting(value));
  }

  compactString(value: string): void {
    const size = stringSize(value);
    this.unsignedVarint(size + 1);
    this.#text(value, size);
  }

  compactNullableString(value: string | null): void {
    if (value === null) this.uint8(0);
    else this.compactString(fitting(value));
  }

  bytes(value: Records): void {
    this.int32(recordsSize(value));
    this.raw(value);
  }

  nullableBytes(value: Records | null): void {
    if (value === null) this.int32(-1);
    else this.bytes(value);
  }

  compactBytes(value: Records): void {
    this.unsignedVarint(recordsSize(value) + 1);
    this.raw(value);
  }

  compactNullableBytes(value: Records | null): void {
    if (value === null) this.uint8(0);
    else this.compactBytes(value);
  }

  /** Length of an array; −1 for a null one. */
  arrayLength(length: number): void {
    this.int32(length);
  }

  /** The same in the compact form of flexible versions. */
  compactArrayLength(length: number): void {
    this.unsignedVarint(length + 1);
  }

  /** Bytes without a length. Large ones are handed on without a copy. */
  raw(value: Records): void {
    if (Buffer.isBuffer(value)) this.#append(value);
    else for (const part of value) this.#append(part);
  }

  /** Begins a tagged field; what is written until {@link endTag} is its content. */
  beginTag(tag: number): number {
    this.unsignedVarint(tag);
    this.#openTags++;
    return this.size;
  }

  /** Ends a tagged field: moves its content aside by the few bytes that its size takes. */
  endTag(mark: number): void {
    this.#openTags--;
    const contentSize = this.size - mark;
    let prefixSize = 1;
    for (let rest = contentSize >>> 7; rest > 0; rest >>>= 7) prefixSize++;
    this.#reserve(prefixSize);
    const end = this.#position;
    const start = end - prefixSize - contentSize;
    this.#buffer.copyWithin(start + prefixSize, start, end - prefixSize);
    this.#varintAt(start, contentSize);
  }

  /** Puts a varint where there is room for it, and returns where it ends. */
  #varintAt(start: number, value: number): number {
    let at = start;
    let rest = value >>> 0;
    while (rest >= 0x80) {
      this.#view.setUint8(at++, (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.#view.setUint8(at++, rest);
    return at;
  }

  #append(value: Buffer): void {
    if (value.length <= COPY_BYTES_MAX || this.#openTags > 0) {
      const at = this.#reserve(value.length);
      value.copy(this.#buffer, at);
      return;
    }
    this.#cut();
    this.#pieces.push(value);
    this.#piecesSize += value.length;
  }

  #text(value: string, size: number): void {
    if (size === 0) return;
    const at = this.#reserve(size);
    this.#buffer.write(value, at, size, "utf8");
  }

  /** Moves what was written so far to the list of pieces. */
  #cut(): void {
    if (this.#position === this.#start) return;
    this.#pieces.push(this.#buffer.subarray(this.#start, this.#position));
    this.#piecesSize += this.#position - this.#start;
    this.#start = this.#position;
  }

  /** Takes room for so many bytes, perhaps in a new slab: `#buffer` and `#view` must be looked up after this call. */
  #reserve(size: number): number {
    const at = this.#position;
    if (at + size <= this.#buffer.length) {
      this.#position = at + size;
      return at;
    }
    return this.#grow(size);
  }

  /** Continues the current piece in a new slab. The old one lives as long as messages cut from it. */
  #grow(size: number): number {
    const written = this.#position - this.#start;
    const buffer = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, (written + size) * 2));
    this.#buffer.copy(buffer, 0, this.#start, this.#position);
    this.#buffer = buffer;
    this.#view = viewOf(buffer);
    this.#start = 0;
    this.#position = written + size;
    return written;
  }
}

/** The text, or as much of its beginning as a string may hold. */
function fitting(text: string): string {
  // A UTF-16 unit takes three bytes at most.
  if (text.length <= STRING_BYTES_MAX / 3 || Buffer.byteLength(text) <= STRING_BYTES_MAX) return text;
  let end = STRING_BYTES_MAX - Buffer.byteLength(ELLIPSIS);
  const bytes = Buffer.from(text);
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--; // into the middle of a character
  return bytes.toString("utf8", 0, end) + ELLIPSIS;
}

/** Length in UTF-8; Kafka refuses longer strings in either form, so that a compact one can be told on in the other. */
function stringSize(value: string): number {
  const size = Buffer.byteLength(value);
  assert(size <= STRING_BYTES_MAX, `a string has at most ${STRING_BYTES_MAX} bytes, this one has ${size}`);
  return size;
}

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}
