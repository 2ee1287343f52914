import * as batch from "./batch.js";
import { readRecords } from "./batch-records.js";
import { sealBatch } from "./build-batch.js";
import { compress } from "./compression/compression.js";
import type { RecordReader } from "./record-reader.js";

/**
 * The batch at `start` with only those of its records that `keep` picks, as compaction rewrites it: offsets, producer
 * fields, timestamp type and codec stay, and so does the range of offsets that the batch covers, since readers and the
 * idempotence window go by it. Undefined when nothing is kept. When everything is, the batch as it was.
 */
export function filterBatch(
  buffer: Buffer,
  start: number,
  keep: (record: RecordReader) => boolean,
): Buffer | undefined {
  const original = buffer.subarray(start, start + batch.batchSize(buffer, start));
  const kept: Buffer[] = [];
  let maxTimestamp = Number.NEGATIVE_INFINITY;
  const record = readRecords(buffer, start);
  while (record.next()) {
    if (!keep(record)) continue;
    kept.push(record.buffer.subarray(record.start, record.end));
    maxTimestamp = Math.max(maxTimestamp, record.timestamp);
  }
  if (kept.length === 0) return undefined;
  if (kept.length === batch.recordCount(buffer, start)) return original;
  const payload = compress(batch.compression(buffer, start) as batch.Compression, Buffer.concat(kept));
  const filtered = Buffer.concat([original.subarray(0, batch.BATCH_HEADER_BYTES), payload]);
  batch.setMaxTimestamp(filtered, 0, maxTimestamp);
  batch.setRecordCount(filtered, 0, kept.length);
  sealBatch(filtered, 0, filtered.length);
  return filtered;
}
