import * as batch from "../../packages/kaas-core/src/records/batch.js";
import { readRecords } from "../../packages/kaas-core/src/records/batch-records.js";

/** Record batches as fields; what follows the last whole batch is counted. */
export function describeBatches(bytes: Buffer): unknown[] {
  const batches: unknown[] = [];
  let at = 0;
  while (at + batch.BATCH_HEADER_BYTES <= bytes.length && at + batch.batchSize(bytes, at) <= bytes.length) {
    batches.push(describe(bytes, at));
    at += batch.batchSize(bytes, at);
  }
  // A broker may cut the last batch off anywhere, and clients pass over it.
  return batches;
}

function describe(bytes: Buffer, at: number): unknown {
  return {
    baseOffset: batch.baseOffset(bytes, at),
    partitionLeaderEpoch: batch.leaderEpoch(bytes, at),
    magic: batch.magic(bytes, at),
    attributes: batch.attributes(bytes, at),
    lastOffsetDelta: batch.lastOffsetDelta(bytes, at),
    baseTimestamp: batch.baseTimestamp(bytes, at),
    maxTimestamp: batch.maxTimestamp(bytes, at),
    producerId: batch.producerId(bytes, at),
    producerEpoch: batch.producerEpoch(bytes, at),
    baseSequence: batch.baseSequence(bytes, at),
    list: records(bytes, at),
  };
}

function records(bytes: Buffer, at: number): unknown {
  try {
    const reader = readRecords(bytes, at);
    const list: unknown[] = [];
    while (reader.next()) {
      const { offset, timestamp } = reader;
      list.push({ offset, timestamp, key: reader.key, value: reader.value, headers: reader.headers });
    }
    return list;
  } catch (error) {
    return `cannot be read: ${(error as Error).message}`;
  }
}
