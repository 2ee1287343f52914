/**
 * The variable-length integers inside records: zigzag, so that small negative numbers are short too. Source: KIP-98.
 * (The wire's compact lengths are unsigned and live in `wire/`.)
 *
 * Writers take (buffer, position, value) and return the next position. Reading goes through {@link VarintReader}.
 */
import { KaasError } from "../errors/kaas-error.js";

const TWO_POW_28 = 2 ** 28;

/** Bytes that a varint (int32) takes: 1 to 5. */
export function varintSize(value: number): number {
  const zigzag = ((value << 1) ^ (value >> 31)) >>> 0;
  if (zigzag < 0x80) return 1;
  if (zigzag < 0x4000) return 2;
  if (zigzag < 0x20_0000) return 3;
  return zigzag < TWO_POW_28 ? 4 : 5;
}

export function writeVarint(buffer: Buffer, at: number, value: number): number {
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  let position = at;
  while (rest >= 0x80) {
    buffer[position++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  buffer[position++] = rest;
  return position;
}

/** Bytes that a varlong (int64) takes: 1 to 10. */
export function varlongSize(value: number): number {
  if (value >= -0x8000_0000 && value <= 0x7fff_ffff) return varintSize(value);
  let size = 1;
  for (let rest = zigzagOf(value); rest >= 0x80n; rest >>= 7n) size++;
  return size;
}

export function writeVarlong(buffer: Buffer, at: number, value: number): number {
  if (value >= -0x8000_0000 && value <= 0x7fff_ffff) return writeVarint(buffer, at, value);
  let rest = zigzagOf(value);
  let position = at;
  while (rest >= 0x80n) {
    buffer[position++] = Number(rest & 0x7fn) | 0x80;
    rest >>= 7n;
  }
  buffer[position++] = Number(rest);
  return position;
}

function zigzagOf(value: number): bigint {
  const integer = BigInt.asIntN(64, BigInt(value));
  return BigInt.asUintN(64, (integer << 1n) ^ (integer >> 63n));
}

/** Reads varints from `buffer[position, end)`; running past the end or over the width throws `KAAS_RECORDS_INVALID`. */
export class VarintReader {
  buffer: Buffer;
  position: number;
  end: number;

  constructor(buffer: Buffer, position = 0, end: number = buffer.length) {
    this.buffer = buffer;
    this.position = position;
    this.end = end;
  }

  byte(): number {
    if (this.position >= this.end) throw invalidRecords(`a record runs past the end at byte ${this.end}`);
    return this.buffer[this.position++] as number;
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (value >>> 1) ^ -(value & 1);
    }
    const last = this.byte();
    if (last > 0x0f) throw invalidRecords("a varint has more than 32 bits");
    value |= last << 28;
    return (value >>> 1) ^ -(value & 1);
  }

  /** As a number: exact to 2^53. */
  varlong(): number {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (value >>> 1) ^ -(value & 1);
    }
    return this.#wide(value);
  }

  /** The rest of a varlong of more than 28 bits. */
  #wide(low: number): number {
    let value = BigInt(low);
    for (let shift = 28n; shift < 63n; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return fromZigzag(value);
    }
    const last = this.byte();
    if (last > 0x01) throw invalidRecords("a varlong has more than 64 bits");
    return fromZigzag(value | (BigInt(last) << 63n));
  }
}

function fromZigzag(value: bigint): number {
  return Number((value >> 1n) ^ -(value & 1n));
}

/** The error of record data that is not what its batch says. */
export function invalidRecords(what: string): KaasError {
  return new KaasError("KAAS_RECORDS_INVALID", `the records cannot be read: ${what}`);
}
