import * as batch from "./batch.js";
import { decompressedRecords } from "./batch-records.js";
import { sealBatch } from "./build-batch.js";
import { compress, type CompressionLevels } from "./compression/compression.js";

/** The batch at `start` with its records compressed another way, as a topic's `compression.type` may ask. */
export function recompressBatch(
  buffer: Buffer,
  start: number,
  codec: batch.Compression,
  levels?: CompressionLevels,
): Buffer {
  const header = buffer.subarray(start, start + batch.BATCH_HEADER_BYTES);
  const rewritten = Buffer.concat([header, compress(codec, decompressedRecords(buffer, start), levels)]);
  const attributes = batch.attributes(buffer, start) & ~batch.Attribute.COMPRESSION_MASK;
  batch.setAttributes(rewritten, 0, attributes | codec);
  sealBatch(rewritten, 0, rewritten.length);
  return rewritten;
}
