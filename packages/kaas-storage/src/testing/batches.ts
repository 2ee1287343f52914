import type { PartitionLog, ReadOptions } from "@kaas/core";
import { batch, type BatchOptions, buildBatch, loadCodec, type RecordInput, readRecords } from "@kaas/core/internal";

/** A batch of records with these values, as a client sends it. */
export function values(texts: readonly string[], options: BatchOptions = {}, timestamp = 1_700_000_000_000): Buffer {
  return buildBatch(
    texts.map((text): RecordInput => ({ key: Buffer.from("k"), value: Buffer.from(text), timestamp })),
    options,
  );
}

export interface ReadBack {
  readonly offset: number;
  readonly value: string;
  readonly timestamp: number;
}

/** Every record of some batches. */
export async function recordsOf(buffers: readonly Buffer[]): Promise<ReadBack[]> {
  const found: ReadBack[] = [];
  for (const buffer of buffers) {
    for (let at = 0; at < buffer.length; at += batch.batchSize(buffer, at)) {
      await loadCodec(batch.compression(buffer, at));
      const record = readRecords(buffer, at);
      while (record.next()) {
        found.push({ offset: record.offset, value: record.value?.toString() ?? "", timestamp: record.timestamp });
      }
    }
  }
  return found;
}

const everything: ReadOptions = { maxBytes: 1_000_000, minOneBatch: true, isolation: "read_uncommitted" };

/** What a consumer gets that reads on from an offset to the high watermark. */
export async function consume(
  log: PartitionLog,
  from: number = log.logStartOffset,
  options: ReadOptions = everything,
): Promise<ReadBack[]> {
  const found: ReadBack[] = [];
  for (let offset = from; offset < log.highWatermark; ) {
    const result = await log.read(offset, options);
    if (result.errorCode !== 0) throw new Error(`reading at ${offset} failed with ${result.errorCode}`);
    const records = await recordsOf(result.records);
    result.lease?.release();
    const last = records.at(-1);
    if (last === undefined) throw new Error(`nothing to read at ${offset}, below ${log.highWatermark}`);
    found.push(...records.filter((record) => record.offset >= offset));
    offset = last.offset + 1;
  }
  return found;
}
