import {
  type AppendResult,
  ErrorCode,
  KaasError,
  type RecordError,
  type SharedLease,
  type TransactionEnd,
  type TransactionGuard,
  type TransactionStart,
} from "@kaas/core";
import { batch, buildTransactionMarker, crc32c, loadCodec, recompressBatch, validateBatch } from "@kaas/core/internal";
import type { Committer } from "./committer.js";
import type { LogCore } from "./log-core.js";
import { needsDecoding, recordFault, topicCodec } from "./record-rules.js";
import { type Duplicate, Sequencing } from "./sequencing.js";

type Resolve = (result: AppendResult) => void;

/** Something to be appended, and who waits for it. */
interface Request {
  readonly acks: -1 | 0 | 1;
  readonly guard: TransactionGuard | undefined;
  /** What the records' memory is lent by, if it is. */
  readonly memory: SharedLease | undefined;
  readonly resolve: Resolve;
}

/** A request that waits for a codec to be loaded; all that come after it wait with it. */
interface Deferred {
  readonly resolve: Resolve;
  /** Held for as long as it waits. */
  readonly memory: SharedLease | undefined;
  run(): void;
}

/** Why an append does not happen, or has happened before. */
interface Refusal {
  readonly errorCode: ErrorCode;
  readonly message: string;
  readonly recordErrors?: readonly RecordError[];
}

/**
 * The synchronous part of an append: validates, recognises retries, gives offsets, queues. The order of calls is the
 * order of offsets. Reads and rewrites batch headers; records are decoded only where the topic asks for something that
 * no header says.
 */
export class Appender {
  readonly #core: LogCore;
  readonly #committer: Committer;
  readonly #sequencing: Sequencing;
  #deferred: Deferred[] | undefined;
  #isZstdLoaded = false;

  constructor(core: LogCore, committer: Committer) {
    this.#core = core;
    this.#committer = committer;
    this.#sequencing = new Sequencing(core);
  }

  append(records: Buffer, acks: -1 | 0 | 1, guard?: TransactionGuard, memory?: SharedLease): Promise<AppendResult> {
    return new Promise((resolve) => {
      const request = { acks, guard, memory, resolve };
      if (this.#deferred === undefined) this.#append(records, request);
      else this.#deferred.push(this.#waiting(records, request));
    });
  }

  guardTransaction(start: TransactionStart): TransactionGuard | undefined {
    return this.#sequencing.guard(start);
  }

  /** Appends a marker, behind all that was appended before. */
  endTransaction(end: TransactionEnd): Promise<AppendResult> {
    return new Promise((resolve) => {
      if (this.#deferred === undefined) this.#end(end, resolve);
      else this.#deferred.push({ resolve, memory: undefined, run: () => this.#end(end, resolve) });
    });
  }

  /**
   * A marker is small, and others wait for what it sets free: neither an almost full volume nor the largest size of a
   * batch keeps it out.
   */
  #end(end: TransactionEnd, resolve: Resolve): void {
    const now = this.#core.environment.clock.now();
    const refusal = this.#unserved() ?? this.#sequencing.end(end, now);
    if (refusal !== undefined) return this.#refuse(refusal, resolve);
    const marker = buildTransactionMarker({ ...end, timestamp: now });
    this.#enqueue(marker, { acks: -1, guard: undefined, memory: undefined, resolve }, now);
  }

  #append(records: Buffer, request: Request): void {
    const core = this.#core;
    const now = core.environment.clock.now();
    const refusal = this.#overloaded(records) ?? this.#invalid(records);
    if (refusal !== undefined) return this.#refuse(refusal, request.resolve);
    if (this.#mustDecode(records, now)) {
      if (!this.#isZstdLoaded && this.#involvesZstd(records)) return this.#defer(records, request);
      this.#appendDecoded(records, request, now);
    } else {
      this.#number(records, request, now);
    }
  }

  #unserved(): Refusal | undefined {
    const { health } = this.#core;
    if (health === ErrorCode.NONE) return undefined;
    return { errorCode: health, message: "the partition is not served at the moment" };
  }

  #overloaded(records: Buffer): Refusal | undefined {
    const { environment } = this.#core;
    const unserved = this.#unserved();
    if (unserved !== undefined) return unserved;
    if (environment.space.isLow) {
      return { errorCode: ErrorCode.KAFKA_STORAGE_ERROR, message: "the volume is almost full" };
    }
    if (this.#committer.isStalled) {
      return { errorCode: ErrorCode.REQUEST_TIMED_OUT, message: "the volume does not answer" };
    }
    if (!this.#committer.queue.hasRoom(records.length)) {
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
  #appendDecoded(records: Buffer, request: Request, now: number): void {
    const { config } = this.#core;
    const { resolve } = request;
    const codec = topicCodec(config);
    const batches: Buffer[] = [];
    try {
      for (let at = 0; at < records.length; ) {
        const fault = recordFault(records, at, config, now);
        if (fault !== undefined) return this.#refuse(fault, resolve);
        const end = at + batch.batchSize(records, at);
        const keeps = codec === undefined || codec === batch.compression(records, at);
        batches.push(keeps ? records.subarray(at, end) : recompressBatch(records, at, codec, config.compressionLevels));
        at = end;
      }
    } catch (error) {
      // Only what the records themselves say is the client's fault.
      if (!(error instanceof KaasError)) throw error;
      return this.#refuse({ errorCode: ErrorCode.INVALID_RECORD, message: error.message }, resolve);
    }
    const largest = Math.max(...batches.map((one) => one.length));
    if (largest > config.maxMessageBytes) {
      const message = `compressed as the topic wants it, the batch has ${largest} bytes, more than max.message.bytes=${config.maxMessageBytes}`;
      return this.#refuse({ errorCode: ErrorCode.MESSAGE_TOO_LARGE, message }, resolve);
    }
    const [first] = batches;
    const kept = batches.length === 1 && first !== undefined ? first : Buffer.concat(batches);
    // What was compressed anew lies in memory of its own.
    const isAsSent = kept.buffer === records.buffer && kept.byteOffset === records.byteOffset;
    const memory = isAsSent ? request.memory : undefined;
    this.#number(kept, { ...request, memory }, now);
  }

  /** Recognises retries, and queues what is new. */
  #number(records: Buffer, request: Request, now: number): void {
    const verdict = this.#sequencing.take(records, request.guard, now);
    if (verdict === undefined) this.#enqueue(records, request, now);
    else if (verdict.kind === "refused") this.#refuse(verdict, request.resolve);
    else void this.#answerDuplicate(verdict, request.resolve);
  }

  /** Gives offsets and queues. */
  #enqueue(records: Buffer, { acks, memory, resolve }: Request, now: number): void {
    const core = this.#core;
    const stampsTime = core.config.messageTimestampType === "LogAppendTime";
    const baseOffset = core.logEndOffset;
    let nextOffset = baseOffset;
    let maxTimestamp = -1;
    let maxTimestampOffset = baseOffset;
    let maxTimestampLastOffset = baseOffset;
    for (let at = 0; at < records.length; at += batch.batchSize(records, at)) {
      batch.setBaseOffset(records, at, nextOffset);
      batch.setLeaderEpoch(records, at, core.epoch);
      if (stampsTime) stampAppendTime(records, at, now);
      const timestamp = batch.maxTimestamp(records, at);
      const lastOffset = nextOffset + batch.lastOffsetDelta(records, at);
      if (timestamp > maxTimestamp) {
        maxTimestamp = timestamp;
        maxTimestampOffset = nextOffset;
        maxTimestampLastOffset = lastOffset;
      }
      nextOffset = lastOffset + 1;
    }
    core.logEndOffset = nextOffset;
    core.environment.space.noteAppend(records.length);
    memory?.retain();
    this.#committer.enqueue({
      buffer: records,
      memory,
      baseOffset,
      nextOffset,
      recordCount: nextOffset - baseOffset,
      maxTimestamp,
      maxTimestampOffset,
      maxTimestampLastOffset,
      acks,
      logAppendTimeMs: stampsTime ? now : -1,
      resolve,
    });
  }

  /**
   * A retry is answered like the original: with its offset, and not before it is safe. What the high watermark has
   * passed needs no look at the fuse: every later leader has it.
   */
  async #answerDuplicate(original: Duplicate, resolve: Resolve): Promise<void> {
    const core = this.#core;
    const errorCode = await this.#committer.whenVisible(original.nextOffset);
    const stampsTime = core.config.messageTimestampType === "LogAppendTime";
    if (errorCode === ErrorCode.NONE) resolve(core.accepted(original.baseOffset, stampsTime ? original.timestamp : -1));
    else resolve(core.refusal(errorCode, null));
  }

  #refuse({ errorCode, message, recordErrors }: Refusal, resolve: Resolve): void {
    const refusal = this.#core.refusal(errorCode, message);
    resolve(recordErrors === undefined ? refusal : { ...refusal, recordErrors });
  }

  /** Of the codecs, zstd has to be loaded before it can be used synchronously. */
  #defer(records: Buffer, request: Request): void {
    this.#deferred = [this.#waiting(records, request)];
    loadCodec(batch.Compression.ZSTD).then(
      () => this.#resume(),
      (error: unknown) => this.#refuseDeferred(error),
    );
  }

  #waiting(records: Buffer, request: Request): Deferred {
    const { resolve, memory } = request;
    memory?.retain();
    return { resolve, memory, run: () => this.#append(records, request) };
  }

  #resume(): void {
    this.#isZstdLoaded = true;
    const waiting = this.#deferred ?? [];
    this.#deferred = undefined;
    for (const { run, memory } of waiting) {
      run();
      memory?.release();
    }
  }

  #refuseDeferred(error: unknown): void {
    const waiting = this.#deferred ?? [];
    this.#deferred = undefined;
    const message = error instanceof Error ? error.message : "zstd could not be loaded";
    for (const { resolve, memory } of waiting) {
      this.#refuse({ errorCode: ErrorCode.UNKNOWN_SERVER_ERROR, message }, resolve);
      memory?.release();
    }
  }
}

/** The broker's time for all records of a batch; the checksum covers it. */
function stampAppendTime(records: Buffer, at: number, now: number): void {
  batch.setAttributes(records, at, batch.attributes(records, at) | batch.Attribute.LOG_APPEND_TIME);
  batch.setMaxTimestamp(records, at, now);
  batch.setCrc(records, at, crc32c(records, at + batch.BATCH_CRC_START, at + batch.batchSize(records, at)));
}
