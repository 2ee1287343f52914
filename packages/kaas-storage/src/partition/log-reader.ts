import { ErrorCode, type Lease, type ReadOptions, type ReadResult } from "@kaas/core";
import { ReadBudget } from "../file-system/read-budget.js";
import type { LogCore } from "./log-core.js";
import { ReadLease, SHORT_READ_BYTES } from "./read-memory.js";
import { type Segment, segmentIndexFor } from "./segment.js";
import type { SegmentAccess } from "./segment-cache.js";
import {
  checkedLastOffset,
  firstPiece,
  lastOffsetOf,
  type LentFound,
  type Piece,
  readAsync,
  readSync,
  type Want,
} from "./segment-read.js";
import { endBelow } from "./tail-cache.js";

/** Ends of reads that are remembered, so that a consumer who goes on from there needs no search. */
const CURSORS_MAX = 32;
const NOTHING: readonly Buffer[] = [];

/** Where a batch begins. */
interface Cursor {
  readonly segment: Segment;
  readonly position: number;
}

/** Reads batches: from memory where they are recent, from the file otherwise. */
export class LogReader {
  readonly #core: LogCore;
  readonly #cursors = new Map<number, Cursor>();
  readonly #budget = new ReadBudget();

  constructor(core: LogCore) {
    this.#core = core;
  }

  read(offset: number, options: ReadOptions): ReadResult | Promise<ReadResult> {
    const result = this.#read(offset, options);
    if (!(result instanceof Promise)) return result;
    const { environment, directory } = this.#core;
    return environment.slowReads.wait(
      result,
      () => this.#failed(directory, new Error("the volume does not answer"), options),
      (late) => late.lease?.release(),
    );
  }

  #read(offset: number, options: ReadOptions): ReadResult | Promise<ReadResult> {
    const core = this.#core;
    if (core.health !== ErrorCode.NONE) return this.#result(core.health, NOTHING, 0, undefined, options);
    if (offset < core.logStartOffset || offset > core.logEndOffset) {
      return this.#result(ErrorCode.OFFSET_OUT_OF_RANGE, NOTHING, 0, undefined, options);
    }
    const endOffset = options.isolation === "read_committed" ? core.lastStableOffset : core.highWatermark;
    if (offset >= endOffset) return this.#nothing(options);
    const { isShort } = core.environment.readMemory;
    if (isShort && !options.minOneBatch) return this.#nothing(options);
    const maxBytes = isShort ? Math.min(options.maxBytes, SHORT_READ_BYTES) : options.maxBytes;
    if (offset >= core.tail.startOffset) {
      return this.#withAborted(this.#readTail(offset, endOffset, maxBytes, options), offset, options);
    }
    const result = this.#readFile(offset, endOffset, maxBytes, options);
    if (options.isolation === "read_uncommitted") return result;
    return result instanceof Promise
      ? result.then((late) => this.#withAborted(late, offset, options))
      : this.#withAborted(result, offset, options);
  }

  #readTail(offset: number, endOffset: number, maxBytes: number, options: ReadOptions): ReadResult {
    const { tail, environment } = this.#core;
    const { records, sizeBytes, memories } = tail.read(offset, endOffset, maxBytes, options.minOneBatch);
    const lease = records.length === 0 ? undefined : environment.readMemory.lendTail(sizeBytes, memories);
    return this.#result(ErrorCode.NONE, records, sizeBytes, lease, options);
  }

  /** Adds what a read_committed consumer has to skip of what was read. */
  #withAborted(result: ReadResult, offset: number, options: ReadOptions): ReadResult | Promise<ReadResult> {
    const { aborted, directory } = this.#core;
    const last = result.records.at(-1);
    if (result.abortedTransactions === null || last === undefined) return result;
    const found = aborted.between(offset, lastOffsetOf(last) + 1);
    if (!(found instanceof Promise)) return found.length === 0 ? result : { ...result, abortedTransactions: found };
    return found.then(
      (abortedTransactions) => ({ ...result, abortedTransactions }),
      (error: unknown) => {
        result.lease?.release();
        return this.#failed(directory, error, options);
      },
    );
  }

  #readFile(
    offset: number,
    endOffset: number,
    maxBytes: number,
    options: ReadOptions,
  ): ReadResult | Promise<ReadResult> {
    const core = this.#core;
    const segment = this.#segmentFor(offset);
    if (segment === undefined) return this.#nothing(options);
    const want: Want = {
      offset,
      endOffset: endOffset < core.highWatermark ? endOffset : undefined,
      endPosition: core.visibleBytesOf(segment),
      maxBytes,
      minOneBatch: options.minOneBatch,
    };
    const { segmentCache } = core.environment;
    const access = segment === core.active?.segment ? core.active.access : segmentCache.peek(segment);
    return access === undefined
      ? this.#openAndRead(segment, want, options)
      : this.#readSegment(segment, access, want, options);
  }

  async #openAndRead(segment: Segment, want: Want, options: ReadOptions): Promise<ReadResult> {
    const { config, environment } = this.#core;
    let result: ReadResult | undefined;
    try {
      const access = await environment.segmentCache.acquire(segment, config.indexIntervalBytes);
      try {
        result = await this.#readSegment(segment, access, want, options);
      } finally {
        await access.release();
      }
      return result;
    } catch (error) {
      result?.lease?.release();
      return this.#failed(segment.path("log"), error, options);
    }
  }

  /** The segment that has the offset, or the next one where offsets are missing in between. */
  #segmentFor(offset: number): Segment | undefined {
    const { segments } = this.#core;
    const index = Math.max(0, segmentIndexFor(segments, offset));
    const segment = segments[index];
    return segment !== undefined && offset >= segment.nextOffset ? segments[index + 1] : segment;
  }

  #readSegment(
    segment: Segment,
    access: SegmentAccess,
    want: Want,
    options: ReadOptions,
  ): ReadResult | Promise<ReadResult> {
    const { offset } = want;
    const cursor = this.#cursors.get(offset);
    const position =
      cursor?.segment === segment ? cursor.position : access.offsets.positionFor(offset - segment.baseOffset);
    const first = firstPiece(position, want);
    const { clock, readMemory, isShared } = this.#core.environment;
    // A file server may hang at any time, and the event loop with it.
    if (this.#budget.isSpent || isShared) return this.#readAsync(segment, access, first, want, options);
    const before = clock.monotonic();
    try {
      const found = readSync(readMemory, access.handle, first, want);
      this.#budget.tookSync(clock.monotonic() - before);
      return this.#found(segment, found, want, options);
    } catch (error) {
      return this.#failed(segment.path("log"), error, options);
    }
  }

  async #readAsync(
    segment: Segment,
    access: SegmentAccess,
    first: Piece,
    want: Want,
    options: ReadOptions,
  ): Promise<ReadResult> {
    const { clock, readMemory } = this.#core.environment;
    access.retain();
    try {
      const before = clock.monotonic();
      const found = await readAsync(readMemory, access.handle, first, want);
      this.#budget.tookAsync(clock.monotonic() - before);
      return this.#found(segment, found, want, options);
    } catch (error) {
      return this.#failed(segment.path("log"), error, options);
    } finally {
      await access.release();
    }
  }

  #found(segment: Segment, found: LentFound | undefined, want: Want, options: ReadOptions): ReadResult {
    if (found === undefined) return this.#nothing(options);
    const { memory } = found;
    const end = want.endOffset === undefined ? found.records.length : endBelow(found.records, want.endOffset);
    if (end === 0) {
      memory.release();
      return this.#nothing(options);
    }
    const records = end === found.records.length ? found.records : found.records.subarray(0, end);
    const startPosition = found.endPosition - found.records.length;
    let lastOffset: number;
    try {
      lastOffset = checkedLastOffset(records, segment, startPosition);
    } catch (error) {
      memory.release();
      throw error;
    }
    this.#remember(segment, lastOffset, startPosition + end, want.offset);
    const lease = new ReadLease(() => memory.release());
    return this.#result(ErrorCode.NONE, [records], records.length, lease, options);
  }

  /** A consumer comes back for what follows. */
  #remember(segment: Segment, lastOffset: number, endPosition: number, offset: number): void {
    this.#cursors.delete(offset);
    if (this.#cursors.size >= CURSORS_MAX) {
      for (const oldest of this.#cursors.keys()) {
        this.#cursors.delete(oldest);
        break;
      }
    }
    this.#cursors.set(lastOffset + 1, { segment, position: endPosition });
  }

  #failed(file: string, error: unknown, options: ReadOptions): ReadResult {
    const { id, environment } = this.#core;
    environment.log.error(
      { topic: id.topic, partition: id.partition, file, err: error },
      "a segment could not be read",
    );
    return this.#result(ErrorCode.KAFKA_STORAGE_ERROR, NOTHING, 0, undefined, options);
  }

  #nothing(options: ReadOptions): ReadResult {
    return this.#result(ErrorCode.NONE, NOTHING, 0, undefined, options);
  }

  #result(
    errorCode: ErrorCode,
    records: readonly Buffer[],
    sizeBytes: number,
    lease: Lease | undefined,
    options: ReadOptions,
  ): ReadResult {
    const { highWatermark, lastStableOffset, logStartOffset } = this.#core;
    return {
      errorCode,
      records,
      sizeBytes,
      lease,
      highWatermark,
      lastStableOffset,
      logStartOffset,
      abortedTransactions: options.isolation === "read_committed" ? [] : null,
    };
  }
}
