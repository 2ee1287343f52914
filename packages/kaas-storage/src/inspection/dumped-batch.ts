import { KaasError } from "@kaas/core";
import { batch, ControlType, loadCodec, readControlBatch, readRecords } from "@kaas/core/internal";

const CODEC_NAMES = ["none", "gzip", "snappy", "lz4", "zstd"] as const;

/** A record batch as it lies in a segment. Times are milliseconds since 1970. */
export interface DumpedBatch {
  readonly kind: "batch";
  readonly file: string;
  readonly position: number;
  readonly sizeBytes: number;
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly recordCount: number;
  readonly leaderEpoch: number;
  /** A codec's name, or the number that no codec has. */
  readonly compression: string;
  readonly timestampType: "CreateTime" | "LogAppendTime";
  readonly maxTimestamp: number;
  /** −1, as the two after it, where the producer is not idempotent. */
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly isTransactional: boolean;
  /** What a control batch says; undefined for batches of records. */
  readonly control: DumpedControl | undefined;
  readonly isSound: boolean;
  /** Present where records were asked for and could be decoded. */
  readonly records?: readonly DumpedRecord[];
  /** Why records could not be decoded. */
  readonly problem?: string;
}

/** A marker that ends a transaction. */
export interface DumpedControl {
  readonly type: string;
  readonly coordinatorEpoch: number | undefined;
}

/** A record, decoded. Keys and values are copies. */
export interface DumpedRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly { readonly key: string; readonly value: Buffer | null }[];
}

/** Describes the batch at `at`, which is whole; with its records, where `decode` says so. */
export async function describeBatch(
  buffer: Buffer,
  at: number,
  place: { readonly file: string; readonly position: number; readonly isSound: boolean },
  decode: boolean,
): Promise<DumpedBatch> {
  const attributes = batch.attributes(buffer, at);
  const isAppendTime = (attributes & batch.Attribute.LOG_APPEND_TIME) !== 0;
  const compression = batch.compression(buffer, at);
  const isControl = batch.isControl(buffer, at);
  if (place.isSound && (decode || isControl)) await loadCodec(compression);
  return {
    kind: "batch",
    ...place,
    sizeBytes: batch.batchSize(buffer, at),
    baseOffset: batch.baseOffset(buffer, at),
    lastOffset: batch.lastOffset(buffer, at),
    recordCount: batch.recordCount(buffer, at),
    leaderEpoch: batch.leaderEpoch(buffer, at),
    compression: CODEC_NAMES[compression] ?? String(compression),
    timestampType: isAppendTime ? "LogAppendTime" : "CreateTime",
    maxTimestamp: batch.maxTimestamp(buffer, at),
    producerId: batch.producerId(buffer, at),
    producerEpoch: batch.producerEpoch(buffer, at),
    baseSequence: batch.baseSequence(buffer, at),
    isTransactional: batch.isTransactional(buffer, at),
    control: isControl ? describeControl(buffer, at, place.isSound) : undefined,
    ...(decode && place.isSound && !isControl ? decodeRecords(buffer, at) : {}),
  };
}

function describeControl(buffer: Buffer, at: number, isSound: boolean): DumpedControl {
  try {
    const control = isSound ? readControlBatch(buffer, at) : undefined;
    if (control === undefined) return { type: "empty", coordinatorEpoch: undefined };
    return { type: controlName(control.type), coordinatorEpoch: control.coordinatorEpoch };
  } catch (error) {
    if (!(error instanceof KaasError)) throw error;
    return { type: "unreadable", coordinatorEpoch: undefined };
  }
}

function controlName(type: number): string {
  if (type === ControlType.COMMIT) return "commit";
  return type === ControlType.ABORT ? "abort" : `type ${type}`;
}

function decodeRecords(buffer: Buffer, at: number): Pick<DumpedBatch, "records" | "problem"> {
  const records: DumpedRecord[] = [];
  try {
    const reader = readRecords(buffer, at);
    while (reader.next()) {
      records.push({
        offset: reader.offset,
        timestamp: reader.timestamp,
        key: copied(reader.key),
        value: copied(reader.value),
        headers: reader.headers.map(({ key, value }) => ({ key, value: copied(value) })),
      });
    }
    return { records };
  } catch (error) {
    if (!(error instanceof KaasError)) throw error;
    return { records, problem: error.message };
  }
}

/** What is read next takes the place of what a view would show. */
function copied(bytes: Buffer | null): Buffer | null {
  return bytes === null ? null : Buffer.from(bytes);
}
