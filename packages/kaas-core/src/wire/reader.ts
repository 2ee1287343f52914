import { KaasError } from "../errors/kaas-error.js";
import { uuidText } from "./uuid-texts.js";
import { ARRAY_ELEMENTS_MAX, STRING_BYTES_MAX } from "./limits.js";

/** Kafka's zero UUID: "no topic id". */
export const ZERO_UUID: string = "AAAAAAAAAAAAAAAAAAAAAA";

/** A string of so many bytes at most is short enough even if none of them is UTF-8. */
const UNGARBLED_BYTES_MAX = Math.floor(STRING_BYTES_MAX / 3);
const TWO_POW_32 = 0x1_0000_0000;
const EMPTY = Buffer.alloc(0);

/**
 * Reads Kafka's primitive types out of one frame, in order. Every length is checked against what is left before
 * anything is allocated; a violation throws `KAAS_WIRE_MALFORMED`.
 *
 * `bytes` and `records` are views into the frame, valid as long as the frame is. int64 is read as a number: exact up
 * to 2^53, the nearest double beyond (which compares as the client meant it, and `Long.MAX_VALUE` survives a round
 * trip). UUIDs are Kafka's own text form, 22 characters of unpadded base64url.
 */
export class Reader {
  readonly buffer: Buffer;
  readonly #view: DataView;
  #position: number;
  #end: number;
  #elementsLeft = ARRAY_ELEMENTS_MAX;

  constructor(buffer: Buffer, start = 0, end: number = buffer.length) {
    this.buffer = buffer;
    this.#view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    this.#position = start;
    this.#end = end;
  }

  get position(): number {
    return this.#position;
  }

  get remaining(): number {
    return this.#end - this.#position;
  }

  /** Refuses bytes that are left after a message was read whole. */
  expectEnd(): void {
    if (this.#position !== this.#end) throw malformed(`${this.remaining} trailing bytes`);
  }

  skip(size: number): void {
    this.#take(size);
  }

  int8(): number {
    return this.#view.getInt8(this.#take(1));
  }

  uint8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  bool(): boolean {
    return this.#view.getUint8(this.#take(1)) !== 0;
  }

  int16(): number {
    return this.#view.getInt16(this.#take(2));
  }

  uint16(): number {
    return this.#view.getUint16(this.#take(2));
  }

  int32(): number {
    return this.#view.getInt32(this.#take(4));
  }

  uint32(): number {
    return this.#view.getUint32(this.#take(4));
  }

  int64(): number {
    const at = this.#take(8);
    return this.#view.getInt32(at) * TWO_POW_32 + this.#view.getUint32(at + 4);
  }

  float64(): number {
    return this.#view.getFloat64(this.#take(8));
  }

  uuid(): string {
    const at = this.#take(16);
    return uuidText(this.buffer, this.#view, at);
  }

  unsignedVarint(): number {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#view.getUint8(this.#take(1));
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    const last = this.#view.getUint8(this.#take(1));
    if (last > 0x0f) throw malformed("a varint of more than 32 bits");
    return (value | (last << 28)) >>> 0;
  }

  string(): string {
    return this.#text(this.#required(this.int16(), "string"));
  }

  nullableString(): string | null {
    const size = this.int16();
    return size < 0 ? this.#null(size, "string") : this.#text(size);
  }

  compactString(): string {
    return this.#text(this.#required(this.unsignedVarint() - 1, "string"));
  }

  compactNullableString(): string | null {
    const size = this.unsignedVarint() - 1;
    return size < 0 ? null : this.#text(size);
  }

  bytes(): Buffer {
    return this.#slice(this.#required(this.int32(), "bytes"));
  }

  nullableBytes(): Buffer | null {
    const size = this.int32();
    return size < 0 ? this.#null(size, "bytes") : this.#slice(size);
  }

  compactBytes(): Buffer {
    return this.#slice(this.#required(this.unsignedVarint() - 1, "bytes"));
  }

  compactNullableBytes(): Buffer | null {
    const size = this.unsignedVarint() - 1;
    return size < 0 ? null : this.#slice(size);
  }

  /** Length of an array whose elements take at least `elementSizeMin` bytes each; −1 for a null one. */
  arrayLength(elementSizeMin: number): number {
    const length = this.int32();
    if (length < -1) throw malformed(`an array of ${length} elements`);
    return this.#elements(length, elementSizeMin);
  }

  /** The same in the compact form of flexible versions. */
  compactArrayLength(elementSizeMin: number): number {
    return this.#elements(this.unsignedVarint() - 1, elementSizeMin);
  }

  /** Refuses null where the schema does not allow it. */
  required(length: number): number {
    return this.#required(length, "array");
  }

  /** One byte that says whether a nullable struct follows (KIP-893). */
  structPresent(): boolean {
    const marker = this.int8();
    if (marker !== -1 && marker !== 1) throw malformed(`a struct marker of ${marker}`);
    return marker === 1;
  }

  /**
   * Enters a tagged field and returns where it must end; pass that to {@link leaveTag}. What a field holds is read
   * with the same bounds as the rest.
   */
  enterTag(size: number): number {
    if (size > this.remaining) throw malformed(`a tagged field of ${size} bytes where ${this.remaining} are left`);
    return this.#position + size;
  }

  leaveTag(end: number): void {
    if (this.#position !== end) throw malformed("a tagged field whose size does not fit its content");
  }

  /** Skips tagged fields whose meaning this version does not know, as KIP-482 asks. */
  skipTags(): void {
    for (let count = this.unsignedVarint(); count > 0; count--) {
      this.unsignedVarint();
      this.#take(this.unsignedVarint());
    }
  }

  #take(size: number): number {
    const at = this.#position;
    const next = at + size;
    if (next > this.#end) throw malformed(`${size} bytes wanted where ${this.remaining} are left`);
    this.#position = next;
    return at;
  }

  #text(size: number): string {
    if (size === 0) return "";
    if (size > STRING_BYTES_MAX) throw malformed(`a string of ${size} bytes`);
    const at = this.#take(size);
    const text = this.buffer.toString("utf8", at, at + size);
    // Each byte that is no UTF-8 becomes three: what was read must be short enough to be said again in an answer.
    if (size > UNGARBLED_BYTES_MAX && Buffer.byteLength(text) > STRING_BYTES_MAX) {
      throw malformed(`a string of ${size} bytes that is not UTF-8`);
    }
    return text;
  }

  #slice(size: number): Buffer {
    if (size === 0) return EMPTY;
    const at = this.#take(size);
    return this.buffer.subarray(at, at + size);
  }

  #required(length: number, what: string): number {
    if (length < 0) throw malformed(`${what} is null, which its schema does not allow`);
    return length;
  }

  #null(length: number, what: string): null {
    if (length !== -1) throw malformed(`${what} of ${length} bytes`);
    return null;
  }

  #elements(length: number, elementSizeMin: number): number {
    if (length > 0) {
      if (length * elementSizeMin > this.remaining) {
        throw malformed(`an array of ${length} elements where ${this.remaining} bytes are left`);
      }
      this.#elementsLeft -= length;
      if (this.#elementsLeft < 0) throw malformed(`more than ${ARRAY_ELEMENTS_MAX} array elements`);
    }
    return length;
  }
}

/** The error that every violation of the wire format throws. */
export function malformed(what: string): KaasError {
  return new KaasError("KAAS_WIRE_MALFORMED", `the message is malformed: ${what}`);
}
