import * as batch from "./batch.js";
import { compress } from "./compression/compression.js";
import { crc32c } from "./crc32c.js";
import type { RecordHeader } from "./record-reader.js";
import { varintSize, varlongSize, writeVarint, writeVarlong } from "./varint.js";

/** A record to be put into a batch. What is left out is null, empty, or follows from its place. */
export interface RecordInput {
  readonly key?: Buffer | null | undefined;
  readonly value?: Buffer | null | undefined;
  readonly headers?: readonly RecordHeader[] | undefined;
  /** Milliseconds; 0 when left out. */
  readonly timestamp?: number | undefined;
  /** Distance from the batch's base offset; the record's position when left out. */
  readonly offsetDelta?: number | undefined;
}

/** The header of a batch to be built. What is left out is what a plain producer sends. */
export interface BatchOptions {
  readonly baseOffset?: number;
  readonly leaderEpoch?: number;
  readonly compression?: batch.Compression;
  readonly producerId?: number;
  readonly producerEpoch?: number;
  readonly baseSequence?: number;
  readonly isTransactional?: boolean;
  readonly isControl?: boolean;
  /** The broker's time for all records, which makes the timestamp type LogAppendTime. */
  readonly logAppendTime?: number | undefined;
}

/** A v2 batch of one or more records. zstd needs `loadCodec` first. */
export function buildBatch(records: readonly RecordInput[], options: BatchOptions = {}): Buffer {
  const timestamps = records.map((record) => record.timestamp ?? 0);
  const baseTimestamp = timestamps[0] ?? 0;
  const last = records.at(-1);
  const payload = compress(options.compression ?? batch.Compression.NONE, encodeRecords(records, baseTimestamp));
  const buffer = Buffer.allocUnsafe(batch.BATCH_HEADER_BYTES + payload.length);
  payload.copy(buffer, batch.BATCH_HEADER_BYTES);
  batch.writeHeader(buffer, 0, {
    baseOffset: options.baseOffset ?? 0,
    leaderEpoch: options.leaderEpoch ?? -1,
    attributes: attributesOf(options),
    lastOffsetDelta: last?.offsetDelta ?? records.length - 1,
    baseTimestamp,
    maxTimestamp: options.logAppendTime ?? Math.max(...timestamps),
    producerId: options.producerId ?? -1,
    producerEpoch: options.producerEpoch ?? -1,
    baseSequence: options.baseSequence ?? -1,
    recordCount: records.length,
  });
  sealBatch(buffer, 0, buffer.length);
  return buffer;
}

/** Sets the length and the checksum of a batch whose other bytes are in place. */
export function sealBatch(buffer: Buffer, start: number, end: number): void {
  batch.setBatchSize(buffer, start, end - start);
  batch.setCrc(buffer, start, crc32c(buffer, start + batch.BATCH_CRC_START, end));
}

function attributesOf(options: BatchOptions): number {
  return (
    (options.compression ?? batch.Compression.NONE) |
    (options.logAppendTime === undefined ? 0 : batch.Attribute.LOG_APPEND_TIME) |
    (options.isTransactional === true ? batch.Attribute.TRANSACTIONAL : 0) |
    (options.isControl === true ? batch.Attribute.CONTROL : 0)
  );
}

/** Records as they follow a batch's header, uncompressed. */
function encodeRecords(records: readonly RecordInput[], baseTimestamp: number): Buffer {
  const bodies = records.map((record, index) => bodySize(record, index, baseTimestamp));
  let total = 0;
  for (const size of bodies) total += varintSize(size) + size;
  const buffer = Buffer.allocUnsafe(total);
  let at = 0;
  for (const [index, record] of records.entries()) {
    at = writeVarint(buffer, at, bodies[index] as number);
    at = writeBody(buffer, at, record, index, baseTimestamp);
  }
  return buffer;
}

function bodySize(record: RecordInput, index: number, baseTimestamp: number): number {
  const headers = record.headers ?? [];
  let size = 1 + varlongSize((record.timestamp ?? 0) - baseTimestamp) + varintSize(record.offsetDelta ?? index);
  size += fieldSize(record.key) + fieldSize(record.value) + varintSize(headers.length);
  for (const header of headers) {
    const keySize = Buffer.byteLength(header.key);
    size += varintSize(keySize) + keySize + fieldSize(header.value);
  }
  return size;
}

function writeBody(buffer: Buffer, start: number, record: RecordInput, index: number, baseTimestamp: number): number {
  const headers = record.headers ?? [];
  let at = start;
  buffer[at++] = 0; // attributes: none is defined
  at = writeVarlong(buffer, at, (record.timestamp ?? 0) - baseTimestamp);
  at = writeVarint(buffer, at, record.offsetDelta ?? index);
  at = writeField(buffer, at, record.key);
  at = writeField(buffer, at, record.value);
  at = writeVarint(buffer, at, headers.length);
  for (const header of headers) {
    at = writeVarint(buffer, at, Buffer.byteLength(header.key));
    at += buffer.write(header.key, at);
    at = writeField(buffer, at, header.value);
  }
  return at;
}

function fieldSize(value: Buffer | null | undefined): number {
  return value == null ? 1 : varintSize(value.length) + value.length;
}

function writeField(buffer: Buffer, at: number, value: Buffer | null | undefined): number {
  if (value == null) return writeVarint(buffer, at, -1);
  const start = writeVarint(buffer, at, value.length);
  return start + value.copy(buffer, start);
}
