/**
 * What compaction leaves of a batch. Offsets, producer fields, timestamp type and codec stay, and so does the range of
 * offsets that the batch covers, since readers and the idempotence window go by it.
 */
import * as batch from "./batch.js";
import { sealBatch } from "./build-batch.js";
import { type CompressionLevels, compressInPool } from "./compression/compression.js";
import { RecordReader } from "./record-reader.js";
import { varlongSize, writeVarint, writeVarlong } from "./varint.js";

/** Records of a batch that stay. */
export interface RetainedRecords {
  /** As they lay in the batch, one behind the other, not compressed. */
  readonly records: Buffer;
  readonly count: number;
  readonly maxTimestamp: number;
  /**
   * Until when the tombstones or the marker among them have to stay, if that is to be set now. It takes the place of
   * the base timestamp (KIP-534).
   */
  readonly deleteHorizonMs?: number | undefined;
}

/** Whether the batch says until when its tombstones or its marker have to stay. */
export function deleteHorizonMs(buffer: Buffer, start: number): number | undefined {
  const isSet = (batch.attributes(buffer, start) & batch.Attribute.DELETE_HORIZON) !== 0;
  return isSet ? batch.baseTimestamp(buffer, start) : undefined;
}

/** The batch at `start` with only the records that stay. zstd needs `loadCodec` first. */
export async function retainedBatch(
  buffer: Buffer,
  start: number,
  retained: RetainedRecords,
  levels?: CompressionLevels,
): Promise<Buffer> {
  const codec = batch.compression(buffer, start) as batch.Compression;
  const baseTimestamp = batch.baseTimestamp(buffer, start);
  const horizon = retained.deleteHorizonMs;
  const records = horizon === undefined ? retained.records : rebased(retained, baseTimestamp - horizon);
  const payload = await compressInPool(codec, records, levels);
  const attributes = batch.attributes(buffer, start);
  return assembled(buffer, start, payload, {
    attributes: horizon === undefined ? attributes : attributes | batch.Attribute.DELETE_HORIZON,
    baseTimestamp: horizon ?? baseTimestamp,
    maxTimestamp: retained.maxTimestamp,
    recordCount: retained.count,
  });
}

/** The header of the batch at `start` alone: it keeps a producer's last sequence number, or the end of what is left. */
export function emptiedBatch(buffer: Buffer, start: number): Buffer {
  const gone = batch.Attribute.COMPRESSION_MASK | batch.Attribute.DELETE_HORIZON;
  return assembled(buffer, start, Buffer.alloc(0), {
    attributes: batch.attributes(buffer, start) & ~gone,
    baseTimestamp: -1,
    maxTimestamp: batch.maxTimestamp(buffer, start),
    recordCount: 0,
  });
}

type Changed = Pick<batch.HeaderFields, "attributes" | "baseTimestamp" | "maxTimestamp" | "recordCount">;

function assembled(buffer: Buffer, start: number, payload: Buffer, changed: Changed): Buffer {
  const result = Buffer.allocUnsafeSlow(batch.BATCH_HEADER_BYTES + payload.length);
  payload.copy(result, batch.BATCH_HEADER_BYTES);
  batch.writeHeader(result, 0, {
    baseOffset: batch.baseOffset(buffer, start),
    leaderEpoch: batch.leaderEpoch(buffer, start),
    lastOffsetDelta: batch.lastOffsetDelta(buffer, start),
    producerId: batch.producerId(buffer, start),
    producerEpoch: batch.producerEpoch(buffer, start),
    baseSequence: batch.baseSequence(buffer, start),
    ...changed,
  });
  sealBatch(result, 0, result.length);
  return result;
}

/** The records with `shift` added to the distance of each from the base timestamp. */
function rebased({ records, count }: RetainedRecords, shift: number): Buffer {
  const record = new RecordReader(records, { count, offset: 0, timestamp: 0, appendTime: undefined });
  // Length and timestamp are the only numbers that change; they take at most five and ten bytes.
  const result = Buffer.allocUnsafeSlow(records.length + count * 15);
  let at = 0;
  while (record.next()) {
    const delta = record.timestampDelta + shift;
    const rest = record.afterTimestamp;
    const size = 1 + varlongSize(delta) + record.end - rest;
    at = writeVarint(result, at, size);
    result[at++] = 0; // attributes: none is defined
    at = writeVarlong(result, at, delta);
    at += records.copy(result, at, rest, record.end);
  }
  return result.subarray(0, at);
}
