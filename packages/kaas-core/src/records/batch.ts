/**
 * The header of a v2 record batch as a view over bytes: functions of (buffer, start), nothing is copied or decoded.
 *
 * ```
 *  0 baseOffset            int64     23 lastOffsetDelta  int32
 *  8 batchLength           int32     27 baseTimestamp    int64
 * 12 partitionLeaderEpoch  int32     35 maxTimestamp     int64
 * 16 magic                 int8      43 producerId       int64
 * 17 crc                   uint32    51 producerEpoch    int16
 * 21 attributes            int16     53 baseSequence     int32
 *                                    57 recordCount      int32
 *                                    61 records
 * ```
 *
 * `batchLength` counts from byte 12; the CRC covers everything from byte 21. Base offset and leader epoch lie outside
 * the CRC, so that a broker can set them without touching it. Source: KIP-98.
 */

/** Size of a batch's header. */
export const BATCH_HEADER_BYTES: number = 61;
/** What comes before the part that `batchLength` counts. */
export const BATCH_LOG_OVERHEAD_BYTES: number = 12;
/** Start of the part that the CRC covers. */
export const BATCH_CRC_START: number = 21;
/** The only record format that is served. */
export const MAGIC_V2: number = 2;

/** Bits of `attributes`. */
export const Attribute = {
  COMPRESSION_MASK: 0x07,
  LOG_APPEND_TIME: 0x08,
  TRANSACTIONAL: 0x10,
  CONTROL: 0x20,
  DELETE_HORIZON: 0x40,
} as const;

/** Values of the compression bits. */
export const Compression = { NONE: 0, GZIP: 1, SNAPPY: 2, LZ4: 3, ZSTD: 4 } as const;
export type Compression = (typeof Compression)[keyof typeof Compression];

const TWO_POW_32 = 0x1_0000_0000;

function readInt64(buffer: Buffer, at: number): number {
  return buffer.readInt32BE(at) * TWO_POW_32 + buffer.readUInt32BE(at + 4);
}

function writeInt64(buffer: Buffer, at: number, value: number): void {
  const high = Math.floor(value / TWO_POW_32);
  buffer.writeInt32BE(high, at);
  buffer.writeUInt32BE(value - high * TWO_POW_32, at + 4);
}

export function baseOffset(buffer: Buffer, start: number): number {
  return readInt64(buffer, start);
}

export function setBaseOffset(buffer: Buffer, start: number, offset: number): void {
  writeInt64(buffer, start, offset);
}

/** Size of the whole batch in bytes, header included. */
export function batchSize(buffer: Buffer, start: number): number {
  return buffer.readInt32BE(start + 8) + BATCH_LOG_OVERHEAD_BYTES;
}

export function setBatchSize(buffer: Buffer, start: number, size: number): void {
  buffer.writeInt32BE(size - BATCH_LOG_OVERHEAD_BYTES, start + 8);
}

export function leaderEpoch(buffer: Buffer, start: number): number {
  return buffer.readInt32BE(start + 12);
}

export function setLeaderEpoch(buffer: Buffer, start: number, epoch: number): void {
  buffer.writeInt32BE(epoch, start + 12);
}

export function magic(buffer: Buffer, start: number): number {
  return buffer.readInt8(start + 16);
}

export function crc(buffer: Buffer, start: number): number {
  return buffer.readUInt32BE(start + 17);
}

export function setCrc(buffer: Buffer, start: number, value: number): void {
  buffer.writeUInt32BE(value >>> 0, start + 17);
}

export function attributes(buffer: Buffer, start: number): number {
  return buffer.readInt16BE(start + 21);
}

export function setAttributes(buffer: Buffer, start: number, value: number): void {
  buffer.writeInt16BE(value, start + 21);
}

export function lastOffsetDelta(buffer: Buffer, start: number): number {
  return buffer.readInt32BE(start + 23);
}

export function lastOffset(buffer: Buffer, start: number): number {
  return readInt64(buffer, start) + buffer.readInt32BE(start + 23);
}

export function baseTimestamp(buffer: Buffer, start: number): number {
  return readInt64(buffer, start + 27);
}

export function maxTimestamp(buffer: Buffer, start: number): number {
  return readInt64(buffer, start + 35);
}

export function setMaxTimestamp(buffer: Buffer, start: number, timestamp: number): void {
  writeInt64(buffer, start + 35, timestamp);
}

export function producerId(buffer: Buffer, start: number): number {
  return readInt64(buffer, start + 43);
}

export function producerEpoch(buffer: Buffer, start: number): number {
  return buffer.readInt16BE(start + 51);
}

export function baseSequence(buffer: Buffer, start: number): number {
  return buffer.readInt32BE(start + 53);
}

export function recordCount(buffer: Buffer, start: number): number {
  return buffer.readInt32BE(start + 57);
}

export function setRecordCount(buffer: Buffer, start: number, count: number): void {
  buffer.writeInt32BE(count, start + 57);
}

/** Everything in a header but length and checksum, which depend on what follows it. */
export interface HeaderFields {
  readonly baseOffset: number;
  readonly leaderEpoch: number;
  readonly attributes: number;
  readonly lastOffsetDelta: number;
  readonly baseTimestamp: number;
  readonly maxTimestamp: number;
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly recordCount: number;
}

export function writeHeader(buffer: Buffer, start: number, fields: HeaderFields): void {
  writeInt64(buffer, start, fields.baseOffset);
  buffer.writeInt32BE(fields.leaderEpoch, start + 12);
  buffer.writeInt8(MAGIC_V2, start + 16);
  buffer.writeInt16BE(fields.attributes, start + 21);
  buffer.writeInt32BE(fields.lastOffsetDelta, start + 23);
  writeInt64(buffer, start + 27, fields.baseTimestamp);
  writeInt64(buffer, start + 35, fields.maxTimestamp);
  writeInt64(buffer, start + 43, fields.producerId);
  buffer.writeInt16BE(fields.producerEpoch, start + 51);
  buffer.writeInt32BE(fields.baseSequence, start + 53);
  buffer.writeInt32BE(fields.recordCount, start + 57);
}

/** The compression codec that the batch names; may be a number that no codec has. */
export function compression(buffer: Buffer, start: number): number {
  return attributes(buffer, start) & Attribute.COMPRESSION_MASK;
}

export function isTransactional(buffer: Buffer, start: number): boolean {
  return (attributes(buffer, start) & Attribute.TRANSACTIONAL) !== 0;
}

export function isControl(buffer: Buffer, start: number): boolean {
  return (attributes(buffer, start) & Attribute.CONTROL) !== 0;
}
