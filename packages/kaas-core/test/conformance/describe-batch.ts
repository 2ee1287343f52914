import * as batch from "../../src/records/batch.js";
import { readRecords } from "../../src/records/batch-records.js";
import { ControlType, readControlBatch } from "../../src/records/control-batch.js";

/** What a batch holds, as `java/Batches.java` says it of the same bytes. */
export interface BatchDescription {
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly leaderEpoch: number;
  readonly crc: number;
  readonly compression: string;
  readonly timestampType: string;
  readonly maxTimestamp: number;
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly isTransactional: boolean;
  readonly isControl: boolean;
  readonly records: readonly RecordDescription[];
  readonly controlType?: string;
  readonly coordinatorEpoch?: number | undefined;
}

/** Bytes are in base64. */
export interface RecordDescription {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: readonly { readonly key: string; readonly value: string | null }[];
}

const base64 = (bytes: Buffer | null): string | null => bytes?.toString("base64") ?? null;

const nameOf = (table: Readonly<Record<string, number>>, value: number): string =>
  Object.keys(table).find((name) => table[name] === value) ?? String(value);

export function describeBatch(buffer: Buffer): BatchDescription {
  const isAppendTime = (batch.attributes(buffer, 0) & batch.Attribute.LOG_APPEND_TIME) !== 0;
  const control = batch.isControl(buffer, 0) ? readControlBatch(buffer, 0) : undefined;
  return {
    baseOffset: batch.baseOffset(buffer, 0),
    lastOffset: batch.lastOffset(buffer, 0),
    leaderEpoch: batch.leaderEpoch(buffer, 0),
    crc: batch.crc(buffer, 0),
    compression: nameOf(batch.Compression, batch.compression(buffer, 0)).toLowerCase(),
    timestampType: isAppendTime ? "LogAppendTime" : "CreateTime",
    maxTimestamp: batch.maxTimestamp(buffer, 0),
    producerId: batch.producerId(buffer, 0),
    producerEpoch: batch.producerEpoch(buffer, 0),
    baseSequence: batch.baseSequence(buffer, 0),
    isTransactional: batch.isTransactional(buffer, 0),
    isControl: batch.isControl(buffer, 0),
    records: describeRecords(buffer),
    ...(control && { controlType: nameOf(ControlType, control.type), coordinatorEpoch: control.coordinatorEpoch }),
  };
}

function describeRecords(buffer: Buffer): RecordDescription[] {
  const records: RecordDescription[] = [];
  const record = readRecords(buffer, 0);
  while (record.next()) {
    records.push({
      offset: record.offset,
      timestamp: record.timestamp,
      key: base64(record.key),
      value: base64(record.value),
      headers: record.headers.map(({ key, value }) => ({ key, value: base64(value) })),
    });
  }
  return records;
}
