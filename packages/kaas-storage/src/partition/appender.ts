import { type AppendResult, ErrorCode, KaasError, type RecordError } from "@kaas/core";
import { batch, crc32c, loadCodec, recompressBatch, validateBatch } from "@kaas/core/internal";
import type { Committer } from "./committer.js";
import type { LogCore } from "./log-core.js";
import { judgeSequence, ProducerState, recordBatch } from "./producer-states.js";
import { needsDecoding, recordFault, topicCodec } from "./record-rules.js";

type Resolve = (result: AppendResult) => void;

/** An append that waits for a codec to be loaded; all that come after it wait with it. */
interface Deferred {
  readonly records: Buffer;
  readonly acks: -1 | 0 | 1;
  readonly resolve: Resolve;
}

/** Why an append does not happen, or has happened before. */
interface Refusal {
  readonly errorCode: ErrorCode;
  readonly message: string;
  readonly recordErrors?: readonly RecordError[];
}

interface Duplicate {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly timestamp: number;
}

/**
 * The synchronous part of an append: validates, recognises retries, gives offsets, queues. The order of calls is the
 * order of offsets. Reads and rewrites batch headers; records are decoded only where the topic asks for something that
 * no header says.
 */
export class Appender {
  readonly #core: LogCore;
  readonly #committer: Committer;
  #deferred: Deferred[] | undefined;
  #isZstdLoaded = false;

  constructor(core: LogCore, committer: Committer) {
    this.#core = core;
    this.#committer = committer;
  }

  append(records: Buffer, acks: -1 | 0 | 1): Promise<AppendResult> {
    return new Promise((resolve) => {
      if (this.#deferred !== undefined) this.#deferred.push({ records, acks, resolve });
      else this.#append(records, acks, resolve);
    });
  }

  #append(records: Buffer, acks: -1 | 0 | 1, resolve: Resolve): void {
    const core = this.#core;
    const now = core.environment.clock.now();
    const refusal = this.#overloaded(records) ?? this.#invalid(records);
    if (refusal !== undefined) return this.#refuse(refusal, resolve);
    if (this.#mustDecode(records, now)) {
      if (!this.#isZstdLoaded && this.#involvesZstd(records)) return this.#defer(records, acks, resolve);
      this.#appendDecoded(records, acks, now, resolve);
    } else {
      this.#number(records, acks, now, resolve);
    }
  }

  #overloaded(records: Buffer): Refusal | undefined {
    const { health, environment } = this.#core;
    if (health !== ErrorCode.NONE) return { errorCode: health, message: "the partition is not served at the moment" };
    if (environment.space.isLow) {
      return { errorCode: ErrorCode.KAFKA_STORAGE_ERROR, message: "the volume is almost full" };
    }
    if (this.#committer.queuedBytes + records.length > environment.queuedBytesMax) {
      return { errorCode: ErrorCode.REQUEST_TIMED_OUT, message: "the disk does not keep up with what is produced" };
    }
    return undefined;
  }

  /** Holds every batch to what all batches are held to. */
  #invalid(records: Buffer): Refusal | undefined {
    const rules = { maxMessageBytes: this.#core.config.maxMessageBytes, origin: "client" } as const;
    let at = 0;
    do {
      const fault = validateBatch(records, at, records.length, rules);
      if (fault !== undefined) return fault;
      if (batch.isTransactional(records, at)) {
        return { errorCode: ErrorCode.INVALID_TXN_STATE, message: "transactions are not served" };
      }
      at += batch.batchSize(records, at);
    } while (at < records.length);
    return undefined;
  }

  #mustDecode(records: Buffer, now: number): boolean {
    for (let at = 0; at < records.length; at += batch.batchSize(records, at)) {
      if (needsDecoding(records, at, this.#core.config, now)) return true;
    }
    return false;
  }

  #involvesZstd(records: Buffer): boolean {
    if (topicCodec(this.#core.config) === batch.Compression.ZSTD) return true;
    for (let at = 0; at < records.length; at += batch.batchSize(records, at)) {
      if (batch.compression(records, at) === batch.Compression.ZSTD) return true;
    }
    return false;
  }

  /** Checks records one by one, and compresses them anew where the topic has a codec of its own. */
  #appendDecoded(records: Buffer, acks: -1 | 0 | 1, now: number, resolve: Resolve): void {
    const { config } = this.#core;
    const codec = topicCodec(config);
    const batches: Buffer[] = [];
    try {
      for (let at = 0; at < records.length; ) {
        const fault = recordFault(records, at, config, now);
        if (fault !== undefined) return this.#refuse(fault, resolve);
        const end = at + batch.batchSize(records, at);
        const keeps = codec === undefined || codec === batch.compression(records, at);
        batches.push(keeps ? records.subarray(at, end) : recompressBatch(records, at, codec));
        at = end;
      }
    } catch (error) {
      // Only what the records themselves say is the client's fault.
      if (!(error instanceof KaasError)) throw error;
      return this.#refuse({ errorCode: ErrorCode.INVALID_RECORD, message: error.message }, resolve);
    }
    const largest = Math.max(...batches.map((one) => one.length));
    if (largest > config.maxMessageBytes) {
      const message = `compressed as the topic wants it, the batch has ${largest} bytes`;
      return this.#refuse({ errorCode: ErrorCode.MESSAGE_TOO_LARGE, message }, resolve);
    }
    const [first] = batches;
    this.#number(batches.length === 1 && first !== undefined ? first : Buffer.concat(batches), acks, now, resolve);
  }

  /** Recognises retries, gives offsets and queues. */
  #number(records: Buffer, acks: -1 | 0 | 1, now: number, resolve: Resolve): void {
    const core = this.#core;
    const isSingle = batch.batchSize(records, 0) === records.length;
    const verdict = isSingle ? this.#sequenceOne(records, now) : this.#sequenceAll(records, now);
    if (verdict !== undefined) {
      if ("errorCode" in verdict) this.#refuse(verdict, resolve);
      else void this.#answerDuplicate(verdict, acks, resolve);
      return;
    }
    const stampsTime = core.config.messageTimestampType === "LogAppendTime";
    const baseOffset = core.logEndOffset;
    let nextOffset = baseOffset;
    let maxTimestamp = -1;
    let maxTimestampOffset = baseOffset;
    for (let at = 0; at < records.length; at += batch.batchSize(records, at)) {
      batch.setBaseOffset(records, at, nextOffset);
      batch.setLeaderEpoch(records, at, core.epoch);
      if (stampsTime) stampAppendTime(records, at, now);
      const timestamp = batch.maxTimestamp(records, at);
      if (timestamp > maxTimestamp) {
        maxTimestamp = timestamp;
        maxTimestampOffset = nextOffset;
      }
      nextOffset += batch.lastOffsetDelta(records, at) + 1;
    }
    core.logEndOffset = nextOffset;
    core.environment.space.noteAppend(records.length);
    this.#committer.enqueue({
      buffer: records,
      baseOffset,
      nextOffset,
      recordCount: nextOffset - baseOffset,
      maxTimestamp,
      maxTimestampOffset,
      acks,
      logAppendTimeMs: stampsTime ? now : -1,
      resolve,
    });
  }

  /** What almost every append is: one batch. */
  #sequenceOne(records: Buffer, now: number): Refusal | Duplicate | undefined {
    const producerId = batch.producerId(records, 0);
    if (producerId < 0) return undefined;
    const { producers, logEndOffset } = this.#core;
    const sequenced = sequenceOf(records, 0);
    const verdict = judgeSequence(producers.get(producerId), sequenced);
    if (verdict.kind === "refused") return verdict;
    if (verdict.kind === "duplicate") return duplicate(verdict, sequenced.recordCount);
    const timestamp = this.#timestampOf(records, 0, now);
    recordBatch(producers.obtain(producerId), sequenced, logEndOffset, timestamp, now);
    this.#core.hasUnsavedProducers = true;
    return undefined;
  }

  /** Several batches are appended together or not at all, so producers are brought up to date on copies first. */
  #sequenceAll(records: Buffer, now: number): Refusal | Duplicate | undefined {
    const { producers, logEndOffset } = this.#core;
    const changed = new Map<number, ProducerState>();
    let offset = logEndOffset;
    for (let at = 0; at < records.length; at += batch.batchSize(records, at)) {
      const producerId = batch.producerId(records, at);
      const sequenced = sequenceOf(records, at);
      if (producerId >= 0) {
        const state = changed.get(producerId) ?? producers.get(producerId)?.clone() ?? new ProducerState(producerId);
        const verdict = judgeSequence(state, sequenced);
        if (verdict.kind === "refused") return verdict;
        if (verdict.kind === "duplicate") return duplicate(verdict, sequenced.recordCount);
        recordBatch(state, sequenced, offset, this.#timestampOf(records, at, now), now);
        changed.set(producerId, state);
      }
      offset += sequenced.recordCount;
    }
    for (const state of changed.values()) producers.set(state);
    if (changed.size > 0) this.#core.hasUnsavedProducers = true;
    return undefined;
  }

  #timestampOf(records: Buffer, at: number, now: number): number {
    return this.#core.config.messageTimestampType === "LogAppendTime" ? now : batch.maxTimestamp(records, at);
  }

  /** A retry is answered like the original: with its offset, and not before it is as safe as asked for. */
  async #answerDuplicate(original: Duplicate, acks: -1 | 0 | 1, resolve: Resolve): Promise<void> {
    const core = this.#core;
    const errorCode = acks === -1 ? await this.#committer.whenVisible(original.nextOffset) : ErrorCode.NONE;
    const stampsTime = core.config.messageTimestampType === "LogAppendTime";
    if (errorCode === ErrorCode.NONE) resolve(core.accepted(original.baseOffset, stampsTime ? original.timestamp : -1));
    else resolve(core.refusal(errorCode, null));
  }

  #refuse({ errorCode, message, recordErrors }: Refusal, resolve: Resolve): void {
    const refusal = this.#core.refusal(errorCode, message);
    resolve(recordErrors === undefined ? refusal : { ...refusal, recordErrors });
  }

  /** Of the codecs, zstd has to be loaded before it can be used synchronously. */
  #defer(records: Buffer, acks: -1 | 0 | 1, resolve: Resolve): void {
    this.#deferred = [{ records, acks, resolve }];
    loadCodec(batch.Compression.ZSTD).then(
      () => this.#resume(),
      (error: unknown) => this.#refuseDeferred(error),
    );
  }

  #resume(): void {
    this.#isZstdLoaded = true;
    const waiting = this.#deferred ?? [];
    this.#deferred = undefined;
    for (const { records, acks, resolve } of waiting) this.#append(records, acks, resolve);
  }

  #refuseDeferred(error: unknown): void {
    const waiting = this.#deferred ?? [];
    this.#deferred = undefined;
    const message = error instanceof Error ? error.message : "zstd could not be loaded";
    for (const { resolve } of waiting) this.#refuse({ errorCode: ErrorCode.UNKNOWN_SERVER_ERROR, message }, resolve);
  }
}

function sequenceOf(
  records: Buffer,
  at: number,
): {
  producerEpoch: number;
  firstSequence: number;
  recordCount: number;
} {
  return {
    producerEpoch: batch.producerEpoch(records, at),
    firstSequence: batch.baseSequence(records, at),
    recordCount: batch.recordCount(records, at),
  };
}

function duplicate(
  { baseOffset, timestamp }: { baseOffset: number; timestamp: number },
  recordCount: number,
): Duplicate {
  return { baseOffset, nextOffset: baseOffset + recordCount, timestamp };
}

/** The broker's time for all records of a batch; the checksum covers it. */
function stampAppendTime(records: Buffer, at: number, now: number): void {
  batch.setAttributes(records, at, batch.attributes(records, at) | batch.Attribute.LOG_APPEND_TIME);
  batch.setMaxTimestamp(records, at, now);
  batch.setCrc(records, at, crc32c(records, at + batch.BATCH_CRC_START, at + batch.batchSize(records, at)));
}
