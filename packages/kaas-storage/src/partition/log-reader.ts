import { ErrorCode, type ReadOptions, type ReadResult } from "@kaas/core";
import { batch } from "@kaas/core/internal";
import type { FileHandle } from "../file-system/file-system.js";
import type { LogCore } from "./log-core.js";
import { type Segment, segmentIndexFor } from "./segment.js";
import type { SegmentAccess } from "./segment-cache.js";
import { endBelow, wholeBatchesEnd } from "./tail-cache.js";

/** A synchronous read that takes longer was not in the page cache; the event loop must not wait for the next. */
const READ_BUDGET_MS = 2;
const ASYNC_READS = 16;
/** Ends of reads that are remembered, so that a consumer who goes on from there needs no search. */
const CURSORS_MAX = 32;
const NOTHING: readonly Buffer[] = [];

/** Where a batch begins. */
interface Cursor {
  readonly segment: Segment;
  readonly position: number;
}

/** What is looked for in a segment. */
interface Want {
  readonly offset: number;
  /** Where to stop; undefined where that is the end of what is visible. */
  readonly endOffset: number | undefined;
  /** End of what is visible in the segment. */
  readonly endPosition: number;
  readonly maxBytes: number;
  readonly minOneBatch: boolean;
}

/** The next piece of the file to read. */
interface Piece {
  readonly position: number;
  readonly size: number;
}

interface Found {
  readonly records: Buffer;
  readonly endPosition: number;
}

/** Reads batches: from memory where they are recent, from the file otherwise. */
export class LogReader {
  readonly #core: LogCore;
  readonly #cursors = new Map<number, Cursor>();
  #asyncReads = 0;

  constructor(core: LogCore) {
    this.#core = core;
  }

  read(offset: number, options: ReadOptions): ReadResult | Promise<ReadResult> {
    const core = this.#core;
    if (core.health !== ErrorCode.NONE) return this.#result(core.health, NOTHING, 0, options);
    if (offset < core.logStartOffset || offset > core.logEndOffset) {
      return this.#result(ErrorCode.OFFSET_OUT_OF_RANGE, NOTHING, 0, options);
    }
    const endOffset = options.isolation === "read_committed" ? core.lastStableOffset : core.highWatermark;
    if (offset >= endOffset) return this.#result(ErrorCode.NONE, NOTHING, 0, options);
    if (offset >= core.tail.startOffset) {
      const { records, sizeBytes } = core.tail.read(offset, endOffset, options.maxBytes, options.minOneBatch);
      return this.#withAborted(this.#result(ErrorCode.NONE, records, sizeBytes, options), offset, options);
    }
    const result = this.#readFile(offset, endOffset, options);
    if (options.isolation === "read_uncommitted") return result;
    return result instanceof Promise
      ? result.then((late) => this.#withAborted(late, offset, options))
      : this.#withAborted(result, offset, options);
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
      (error: unknown) => this.#failed(directory, error, options),
    );
  }

  #readFile(offset: number, endOffset: number, options: ReadOptions): ReadResult | Promise<ReadResult> {
    const core = this.#core;
    const segment = this.#segmentFor(offset);
    if (segment === undefined) return this.#result(ErrorCode.NONE, NOTHING, 0, options);
    const { segmentCache } = core.environment;
    const access = segment === core.active?.segment ? core.active.access : segmentCache.peek(segment);
    return access === undefined
      ? this.#openAndRead(segment, offset, endOffset, options)
      : this.#readSegment(segment, access, offset, endOffset, options);
  }

  async #openAndRead(segment: Segment, offset: number, endOffset: number, options: ReadOptions): Promise<ReadResult> {
    const { config, environment } = this.#core;
    try {
      const access = await environment.segmentCache.acquire(segment, config.indexIntervalBytes);
      try {
        return await this.#readSegment(segment, access, offset, endOffset, options);
      } finally {
        await access.release();
      }
    } catch (error) {
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
    offset: number,
    endOffset: number,
    options: ReadOptions,
  ): ReadResult | Promise<ReadResult> {
    const want: Want = {
      offset,
      endOffset: endOffset < this.#core.highWatermark ? endOffset : undefined,
      endPosition: this.#core.visibleBytesOf(segment),
      maxBytes: options.maxBytes,
      minOneBatch: options.minOneBatch,
    };
    const cursor = this.#cursors.get(offset);
    const position =
      cursor?.segment === segment ? cursor.position : access.offsets.positionFor(offset - segment.baseOffset);
    const first = firstPiece(position, want);
    if (this.#asyncReads > 0) return this.#readAsync(segment, access, first, want, options);
    const { clock } = this.#core.environment;
    const before = clock.monotonic();
    try {
      const found = readSync(access.handle, first, want);
      if (clock.monotonic() - before > READ_BUDGET_MS) this.#asyncReads = ASYNC_READS;
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
    const { clock } = this.#core.environment;
    access.retain();
    try {
      const before = clock.monotonic();
      const found = await readAsync(access.handle, first, want);
      if (clock.monotonic() - before <= READ_BUDGET_MS) this.#asyncReads--;
      else this.#asyncReads = ASYNC_READS;
      return this.#found(segment, found, want, options);
    } catch (error) {
      return this.#failed(segment.path("log"), error, options);
    } finally {
      await access.release();
    }
  }

  #found(segment: Segment, found: Found | undefined, want: Want, options: ReadOptions): ReadResult {
    if (found === undefined) return this.#result(ErrorCode.NONE, NOTHING, 0, options);
    if (want.endOffset !== undefined) {
      const end = endBelow(found.records, want.endOffset);
      if (end === 0) return this.#result(ErrorCode.NONE, NOTHING, 0, options);
      const endPosition = found.endPosition - found.records.length + end;
      return this.#found(
        segment,
        { records: found.records.subarray(0, end), endPosition },
        { ...want, endOffset: undefined },
        options,
      );
    }
    this.#remember(segment, found, want.offset);
    return this.#result(ErrorCode.NONE, [found.records], found.records.length, options);
  }

  /** A consumer comes back for what follows. */
  #remember(segment: Segment, { records, endPosition }: Found, offset: number): void {
    this.#cursors.delete(offset);
    if (this.#cursors.size >= CURSORS_MAX) {
      for (const oldest of this.#cursors.keys()) {
        this.#cursors.delete(oldest);
        break;
      }
    }
    this.#cursors.set(lastOffsetOf(records) + 1, { segment, position: endPosition });
  }

  #failed(file: string, error: unknown, options: ReadOptions): ReadResult {
    const { id, environment } = this.#core;
    environment.log.error(
      { topic: id.topic, partition: id.partition, file, err: error },
      "a segment could not be read",
    );
    return this.#result(ErrorCode.KAFKA_STORAGE_ERROR, NOTHING, 0, options);
  }

  #result(errorCode: ErrorCode, records: readonly Buffer[], sizeBytes: number, options: ReadOptions): ReadResult {
    const { highWatermark, lastStableOffset, logStartOffset } = this.#core;
    return {
      errorCode,
      records,
      sizeBytes,
      highWatermark,
      lastStableOffset,
      logStartOffset,
      abortedTransactions: options.isolation === "read_committed" ? [] : null,
    };
  }
}

function readSync(handle: FileHandle, first: Piece, want: Want): Found | undefined {
  for (let piece: Piece | undefined = first; piece !== undefined; ) {
    const buffer = Buffer.allocUnsafeSlow(piece.size);
    const filled = handle.readSync(buffer, piece.position);
    const outcome = interpret(buffer, filled, piece, want);
    if (outcome === undefined || "records" in outcome) return outcome;
    piece = outcome;
  }
  return undefined;
}

async function readAsync(handle: FileHandle, first: Piece, want: Want): Promise<Found | undefined> {
  for (let piece: Piece | undefined = first; piece !== undefined; ) {
    const buffer = Buffer.allocUnsafeSlow(piece.size);
    const filled = await handle.read(buffer, piece.position);
    const outcome = interpret(buffer, filled, piece, want);
    if (outcome === undefined || "records" in outcome) return outcome;
    piece = outcome;
  }
  return undefined;
}

function firstPiece(position: number, want: Want): Piece {
  const size = Math.min(Math.max(want.maxBytes, batch.BATCH_HEADER_BYTES), want.endPosition - position);
  return { position, size };
}

/** Finds the wanted batches in a piece that begins with a batch, or says what has to be read instead. */
function interpret(buffer: Buffer, filled: number, piece: Piece, want: Want): Found | Piece | undefined {
  if (filled < piece.size) throw new Error(`the file ends at byte ${piece.position + filled}`);
  let start = 0;
  while (start + batch.BATCH_HEADER_BYTES <= filled && batch.lastOffset(buffer, start) < want.offset) {
    start += sizeAt(buffer, start, piece);
  }
  if (start + batch.BATCH_HEADER_BYTES > filled) {
    const position = piece.position + start;
    return position >= want.endPosition ? undefined : firstPiece(position, want);
  }
  const size = sizeAt(buffer, start, piece);
  if (start + size > filled) return wholeBatch(piece.position + start, size, want);
  if (size > want.maxBytes && !want.minOneBatch) return undefined;
  const end = wholeBatchesEnd(buffer.subarray(0, filled), start, start + want.maxBytes, want.minOneBatch);
  return { records: buffer.subarray(start, end), endPosition: piece.position + end };
}

/** The wanted batch does not end in the piece: read it for itself, with what may follow. */
function wholeBatch(position: number, size: number, want: Want): Piece | undefined {
  if (size > want.maxBytes && !want.minOneBatch) return undefined;
  return { position, size: Math.min(Math.max(size, want.maxBytes), want.endPosition - position) };
}

function sizeAt(buffer: Buffer, start: number, piece: Piece): number {
  const size = batch.batchSize(buffer, start);
  if (size < batch.BATCH_HEADER_BYTES || batch.magic(buffer, start) !== batch.MAGIC_V2) {
    throw new Error(`no record batch begins at byte ${piece.position + start}`);
  }
  return size;
}

function lastOffsetOf(records: Buffer): number {
  let last = 0;
  for (let at = 0; at < records.length; at += batch.batchSize(records, at)) last = at;
  return batch.lastOffset(records, last);
}
