/**
 * What is inside a batch. All of this decodes, and therefore stays off the hot path: look-up by time within a batch, the
 * key check of compacted topics, compaction, and tools.
 *
 * Batches that are compressed with zstd need `loadCodec` first. Records that cannot be read throw
 * `KAAS_RECORDS_INVALID` or `KAAS_COMPRESSION_FAILED`.
 */
import * as batch from "./batch.js";
import { decompress, decompressInPool, loadCodec } from "./compression/compression.js";
import { RecordReader } from "./record-reader.js";

/**
 * The most that the records of one batch may expand to. Clients send batches of 1 MiB by default and 100 MiB at most;
 * text compresses up to some twenty times.
 */
export const DECOMPRESSED_BYTES_MAX: number = 256 * 1024 * 1024;

/** The records of the batch at `start`, to be walked over. The batch must be whole. */
export function readRecords(buffer: Buffer, start: number, maxBytes: number = DECOMPRESSED_BYTES_MAX): RecordReader {
  return readerOf(buffer, start, decompressedRecords(buffer, start, maxBytes));
}

/** {@link readRecords} for those who can wait. Loads the codec that it takes. The buffer must not change meanwhile. */
export async function readRecordsInPool(buffer: Buffer, start: number): Promise<RecordReader> {
  const codec = batch.compression(buffer, start);
  if (codec === batch.Compression.ZSTD) await loadCodec(codec);
  const records = buffer.subarray(start + batch.BATCH_HEADER_BYTES, start + batch.batchSize(buffer, start));
  return readerOf(buffer, start, await decompressInPool(codec, records, DECOMPRESSED_BYTES_MAX));
}

function readerOf(buffer: Buffer, start: number, records: Buffer): RecordReader {
  const isAppendTime = (batch.attributes(buffer, start) & batch.Attribute.LOG_APPEND_TIME) !== 0;
  return new RecordReader(records, {
    count: batch.recordCount(buffer, start),
    offset: batch.baseOffset(buffer, start),
    timestamp: batch.baseTimestamp(buffer, start),
    appendTime: isAppendTime ? batch.maxTimestamp(buffer, start) : undefined,
  });
}

/** The bytes that follow the header of the batch at `start`, decompressed; a view where nothing was compressed. */
export function decompressedRecords(buffer: Buffer, start: number, maxBytes: number = DECOMPRESSED_BYTES_MAX): Buffer {
  const end = start + batch.batchSize(buffer, start);
  const records = buffer.subarray(start + batch.BATCH_HEADER_BYTES, end);
  return decompress(batch.compression(buffer, start), records, maxBytes);
}

/** A record as an index by time finds it. */
export interface TimestampedOffset {
  readonly timestamp: number;
  readonly offset: number;
}

/**
 * The first record of the batch whose time is `timestamp` or later and whose offset is at least `offsetMin`. With the
 * batch's own maximum it finds the first record that has it.
 */
export function findTimestamp(
  buffer: Buffer,
  start: number,
  timestamp: number,
  offsetMin = 0,
): TimestampedOffset | undefined {
  const record = readRecords(buffer, start);
  while (record.next()) {
    if (record.timestamp >= timestamp && record.offset >= offsetMin) {
      return { timestamp: record.timestamp, offset: record.offset };
    }
  }
  return undefined;
}

/** Positions within the batch of the records that `wanted` picks: what Produce reports record errors by (KIP-467). */
export function recordIndexes(buffer: Buffer, start: number, wanted: (record: RecordReader) => boolean): number[] {
  const indexes: number[] = [];
  const record = readRecords(buffer, start);
  for (let index = 0; record.next(); index++) {
    if (wanted(record)) indexes.push(index);
  }
  return indexes;
}

/** Positions of the records that a compacted topic has to refuse. */
export function keylessRecords(buffer: Buffer, start: number): number[] {
  return recordIndexes(buffer, start, (record) => !record.hasKey);
}
