import { ErrorCode } from "../errors/error-codes.js";
import * as batch from "./batch.js";
import { crc32c } from "./crc32c.js";

/** What a batch is held to before it is appended. One object for the life of a log. */
export interface BatchRules {
  /** Largest batch in bytes, header included (`max.message.bytes`). */
  readonly maxMessageBytes: number;
  /** Who wrote it: a client may neither number its batches nor write control records. */
  readonly origin: "client" | "coordinator";
}

/** Why a batch is refused. `message` is a sentence for the client's log. */
export interface BatchFault {
  readonly errorCode: ErrorCode;
  readonly message: string;
}

/** The least that a record can take: its own length, attributes, two deltas, key, value and header count. */
const RECORD_BYTES_MIN = 7;
/** The smallest that any record format has had. */
const OLD_BATCH_BYTES_MIN = 26;
/** Byte within the batch that holds the record format's version, in every version. */
const MAGIC_AT = 16;

/**
 * Judges the batch that begins at `start`; `end` is where the client's bytes end. Reads the header and the checksum,
 * never a record. Undefined means that `buffer[start, start + batchSize)` may be appended.
 *
 * The errors are those of Apache Kafka's broker: what does not arrive whole or is numbered wrongly is INVALID_RECORD,
 * a length that no batch has, a format that there never was and a checksum that does not match are CORRUPT_MESSAGE.
 */
export function validateBatch(buffer: Buffer, start: number, end: number, rules: BatchRules): BatchFault | undefined {
  const available = end - start;
  if (available <= MAGIC_AT) return fault(ErrorCode.INVALID_RECORD, `${available} bytes are no record batch`);
  const size = batch.batchSize(buffer, start);
  const magic = batch.magic(buffer, start);
  if (size < OLD_BATCH_BYTES_MIN) return fault(ErrorCode.CORRUPT_MESSAGE, `no batch has ${size} bytes`);
  if (magic < 0 || magic > batch.MAGIC_V2) {
    return fault(ErrorCode.CORRUPT_MESSAGE, `there is no record format ${magic}`);
  }
  if (size > available) {
    return fault(ErrorCode.INVALID_RECORD, `the batch says ${size} bytes, ${available} were sent`);
  }
  if (magic !== batch.MAGIC_V2) {
    return fault(ErrorCode.INVALID_RECORD, `record format ${magic} is not served, only format 2`);
  }
  if (size < batch.BATCH_HEADER_BYTES) {
    return fault(ErrorCode.CORRUPT_MESSAGE, `a batch of ${size} bytes is smaller than its header`);
  }
  if (size > rules.maxMessageBytes) {
    return fault(
      ErrorCode.MESSAGE_TOO_LARGE,
      `the batch has ${size} bytes, max.message.bytes allows ${rules.maxMessageBytes}`,
    );
  }
  const computed = crc32c(buffer, start + batch.BATCH_CRC_START, start + size);
  if (computed !== batch.crc(buffer, start)) {
    return fault(ErrorCode.CORRUPT_MESSAGE, `the checksum is ${computed}, the batch says ${batch.crc(buffer, start)}`);
  }
  return attributesFault(buffer, start, rules) ?? countFault(buffer, start, size, rules);
}

function attributesFault(buffer: Buffer, start: number, rules: BatchRules): BatchFault | undefined {
  const attributes = batch.attributes(buffer, start);
  const codec = attributes & batch.Attribute.COMPRESSION_MASK;
  if (codec > batch.Compression.ZSTD) {
    return fault(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, `there is no compression codec ${codec}`);
  }
  const hasProducer = batch.producerId(buffer, start) >= 0;
  if (hasProducer && batch.baseSequence(buffer, start) < 0 && (attributes & batch.Attribute.CONTROL) === 0) {
    return fault(ErrorCode.INVALID_RECORD, "the batch has a producer id and no sequence number");
  }
  if ((attributes & batch.Attribute.TRANSACTIONAL) !== 0 && !hasProducer) {
    return fault(ErrorCode.INVALID_RECORD, "the batch is transactional and has no producer id");
  }
  if (rules.origin === "coordinator") return undefined;
  if ((attributes & batch.Attribute.CONTROL) !== 0) {
    return fault(ErrorCode.INVALID_RECORD, "clients may not write control records");
  }
  if ((attributes & batch.Attribute.LOG_APPEND_TIME) !== 0) {
    return fault(ErrorCode.INVALID_TIMESTAMP, "a producer may not set the timestamp type LogAppendTime");
  }
  if ((attributes & batch.Attribute.DELETE_HORIZON) !== 0) {
    return fault(ErrorCode.INVALID_RECORD, "a producer may not set a delete horizon");
  }
  return undefined;
}

function countFault(buffer: Buffer, start: number, size: number, rules: BatchRules): BatchFault | undefined {
  const count = batch.recordCount(buffer, start);
  const span = batch.lastOffsetDelta(buffer, start) + 1;
  if (count <= 0) return fault(ErrorCode.INVALID_RECORD, `the batch says that it has ${count} records`);
  if (count !== span) {
    return fault(ErrorCode.INVALID_RECORD, `the batch says that it has ${count} records, and takes ${span} offsets`);
  }
  const isPlain = batch.compression(buffer, start) === batch.Compression.NONE;
  if (isPlain && count * RECORD_BYTES_MIN > size - batch.BATCH_HEADER_BYTES) {
    return fault(ErrorCode.INVALID_RECORD, `${count} records do not fit into a batch of ${size} bytes`);
  }
  if (rules.origin === "client" && batch.baseOffset(buffer, start) !== 0) {
    return fault(
      ErrorCode.INVALID_RECORD,
      `the base offset of a produced batch is 0, not ${batch.baseOffset(buffer, start)}`,
    );
  }
  return undefined;
}

function fault(errorCode: ErrorCode, message: string): BatchFault {
  return { errorCode, message };
}
