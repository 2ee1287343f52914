/**
 * What a topic's configuration asks of records, beyond what every batch is held to. Most of it is answered by the
 * batch's header; only where it says that something is wrong, or cannot say, records are decoded.
 */
import { type ErrorCode, ErrorCode as Errors, type LogConfig, type RecordError } from "@kaas/core";
import { batch, DECOMPRESSED_BYTES_MAX, keylessRecords, readRecords, recordIndexes } from "@kaas/core/internal";

/** Why records are refused. */
export interface RecordFault {
  readonly errorCode: ErrorCode;
  readonly message: string;
  readonly recordErrors: readonly RecordError[];
}

const NO_TIMESTAMP = -1;
/** Of many faulty records so many are named. */
const RECORD_ERRORS_MAX = 100;

const CODECS = {
  uncompressed: batch.Compression.NONE,
  gzip: batch.Compression.GZIP,
  snappy: batch.Compression.SNAPPY,
  lz4: batch.Compression.LZ4,
  zstd: batch.Compression.ZSTD,
} as const;

/** The codec that the topic wants batches to have; undefined where each keeps its own. */
export function topicCodec(config: LogConfig): batch.Compression | undefined {
  return config.compressionType === "producer" ? undefined : CODECS[config.compressionType];
}

/** Whether appending this batch takes decoding its records. */
export function needsDecoding(buffer: Buffer, start: number, config: LogConfig, nowMs: number): boolean {
  if (config.cleanupPolicy.compact) return true;
  const codec = topicCodec(config);
  if (codec !== undefined && codec !== batch.compression(buffer, start)) return true;
  return mayBeTooLarge(buffer, start, config) || mayBreakTimeBounds(buffer, start, config, nowMs);
}

/** Judges the records of a batch; undefined when the topic takes them. May decode. */
export function recordFault(buffer: Buffer, start: number, config: LogConfig, nowMs: number): RecordFault | undefined {
  return sizeFault(buffer, start, config) ?? timeFault(buffer, start, config, nowMs) ?? keyFault(buffer, start, config);
}

/** Of an expanded record the header says nothing; one that is not compressed is bounded with its batch. */
function mayBeTooLarge(buffer: Buffer, start: number, { maxDecompressedMessageBytes }: LogConfig): boolean {
  const isCompressed = batch.compression(buffer, start) !== batch.Compression.NONE;
  return isCompressed && maxDecompressedMessageBytes < DECOMPRESSED_BYTES_MAX;
}

function sizeFault(buffer: Buffer, start: number, config: LogConfig): RecordFault | undefined {
  if (!mayBeTooLarge(buffer, start, config)) return undefined;
  const max = config.maxDecompressedMessageBytes;
  const large = recordIndexes(buffer, start, ({ sizeBytes }) => sizeBytes > max);
  if (large.length === 0) return undefined;
  const message = `a record is larger than the ${max} bytes that it may expand to`;
  const recordErrors = large.slice(0, RECORD_ERRORS_MAX).map((batchIndex) => ({ batchIndex, message }));
  return { errorCode: Errors.INVALID_RECORD, message, recordErrors };
}

function mayBreakTimeBounds(buffer: Buffer, start: number, config: LogConfig, nowMs: number): boolean {
  if (config.messageTimestampType === "LogAppendTime") return false;
  if (batch.maxTimestamp(buffer, start) > nowMs + config.messageTimestampAfterMaxMs) return true;
  // The header does not say how old the oldest record is.
  return nowMs - config.messageTimestampBeforeMaxMs > 0;
}

function timeFault(buffer: Buffer, start: number, config: LogConfig, nowMs: number): RecordFault | undefined {
  if (!mayBreakTimeBounds(buffer, start, config, nowMs)) return undefined;
  const oldest = nowMs - config.messageTimestampBeforeMaxMs;
  const youngest = nowMs + config.messageTimestampAfterMaxMs;
  const recordErrors: RecordError[] = [];
  const record = readRecords(buffer, start);
  for (let batchIndex = 0; record.next(); batchIndex++) {
    const { timestamp } = record;
    if (timestamp === NO_TIMESTAMP || (timestamp >= oldest && timestamp <= youngest)) continue;
    const message = `timestamp ${timestamp} is not between ${oldest} and ${youngest}`;
    if (recordErrors.length < RECORD_ERRORS_MAX) recordErrors.push({ batchIndex, message });
  }
  if (recordErrors.length === 0) return undefined;
  const message = "one or more records have a timestamp that the topic does not accept";
  return { errorCode: Errors.INVALID_TIMESTAMP, message, recordErrors };
}

function keyFault(buffer: Buffer, start: number, config: LogConfig): RecordFault | undefined {
  if (!config.cleanupPolicy.compact) return undefined;
  const keyless = keylessRecords(buffer, start);
  if (keyless.length === 0) return undefined;
  const message = "a compacted topic takes no record without a key";
  const recordErrors = keyless.slice(0, RECORD_ERRORS_MAX).map((batchIndex) => ({ batchIndex, message }));
  return { errorCode: Errors.INVALID_RECORD, message, recordErrors };
}
