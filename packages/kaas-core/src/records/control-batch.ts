import {
  readControlRecordTypeSchema,
  readEndTxnMarker,
  writeControlRecordTypeSchema,
  writeEndTxnMarker,
} from "../messages/generated/control-records.js";
import { Reader } from "../wire/reader.js";
import { Writer } from "../wire/writer.js";
import { readRecords } from "./batch-records.js";
import { buildBatch } from "./build-batch.js";

/** Kinds of control records that a partition of a client's topic can hold. */
export const ControlType = { ABORT: 0, COMMIT: 1 } as const;

/** The end of a producer's transaction on a partition. */
export interface TransactionMarker {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly isCommit: boolean;
  /** Epoch of the transaction coordinator that decided it; a lower one later is a deposed coordinator. */
  readonly coordinatorEpoch: number;
  /** Milliseconds. */
  readonly timestamp: number;
}

/** Where a batch goes, when that is known already. */
export interface BatchPlace {
  readonly baseOffset?: number;
  readonly leaderEpoch?: number;
}

/** Version of key and value; there is no other. */
const VERSION = 0;

/** The control batch that ends a transaction: one record whose key says commit or abort (KIP-98). */
export function buildTransactionMarker(marker: TransactionMarker, place: BatchPlace = {}): Buffer {
  const writer = new Writer();
  writer.int16(VERSION);
  writeControlRecordTypeSchema(writer, { type: marker.isCommit ? ControlType.COMMIT : ControlType.ABORT }, VERSION);
  const key = Buffer.concat(writer.finish());
  writer.int16(VERSION);
  writeEndTxnMarker(writer, { coordinatorEpoch: marker.coordinatorEpoch }, VERSION);
  const value = Buffer.concat(writer.finish());
  return buildBatch([{ key, value, timestamp: marker.timestamp }], {
    ...place,
    producerId: marker.producerId,
    producerEpoch: marker.producerEpoch,
    isTransactional: true,
    isControl: true,
  });
}

/** What a control batch says. `type` may be one that is not in {@link ControlType}; those carry no coordinator epoch. */
export interface ControlRecord {
  readonly type: number;
  readonly coordinatorEpoch: number | undefined;
}

/** Reads the control batch at `start`; undefined if it has no record, as after compaction. */
export function readControlBatch(buffer: Buffer, start: number): ControlRecord | undefined {
  const record = readRecords(buffer, start);
  if (!record.next() || record.key === null) return undefined;
  const key = new Reader(record.key);
  key.skip(2);
  const { type } = readControlRecordTypeSchema(key, VERSION);
  const isMarker = type === ControlType.ABORT || type === ControlType.COMMIT;
  if (!isMarker || record.value === null) return { type, coordinatorEpoch: undefined };
  const value = new Reader(record.value);
  value.skip(2);
  return { type, coordinatorEpoch: readEndTxnMarker(value, VERSION).coordinatorEpoch };
}
