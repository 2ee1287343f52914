import * as batch from "./batch.js";
import { readRecordsInPool } from "./batch-records.js";
import type { RecordHeader } from "./record-reader.js";

/** One record of a log. */
export interface BatchRecord {
  readonly offset: number;
  /** Milliseconds since 1970: the producer's, or the broker's with `LogAppendTime`. */
  readonly timestamp: number;
  readonly key: Buffer | null;
  /** Null for a tombstone. */
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
}

/**
 * The records of what a log has read, one after the other, decompressed; markers of transactions are none. Batches are
 * whole, so the first records may lie before the offset that was asked for. Keys and values are views of the same
 * memory: copy what is to be kept beyond its lease. Throws `KAAS_RECORDS_INVALID` or `KAAS_COMPRESSION_FAILED`.
 */
export async function* recordsOf(batches: readonly Buffer[]): AsyncGenerator<BatchRecord, void, undefined> {
  for (const buffer of batches) {
    for (let at = 0; at < buffer.length; at += batch.batchSize(buffer, at)) {
      if (!batch.isControl(buffer, at)) yield* recordsIn(buffer, at);
    }
  }
}

async function* recordsIn(buffer: Buffer, start: number): AsyncGenerator<BatchRecord, void, undefined> {
  const record = await readRecordsInPool(buffer, start);
  while (record.next()) {
    const { offset, timestamp, key, value, headers } = record;
    yield { offset, timestamp, key, value, headers };
  }
}
