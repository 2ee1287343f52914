import type { FileHandle } from "../file-system/file-system.js";
import type { LogCore } from "../partition/log-core.js";
import type { LogMaintenance } from "../partition/log-maintenance.js";
import { Segment } from "../partition/segment.js";
import { BatchCleaner } from "./batch-cleaner.js";
import { BatchStream } from "./batch-stream.js";
import type { Cleanable } from "./cleanable.js";
import { CleanedSegment } from "./cleaned-segment.js";
import type { CompactionOptions } from "./compaction-options.js";
import { KeyMapper } from "./map-keys.js";
import { OffsetMap, SLOT_BYTES } from "./offset-map.js";
import { CleaningStopped, type Pace } from "./pace.js";
import { groupSegments } from "./segment-groups.js";
import { TransactionFilter } from "./transaction-filter.js";

const BUFFER_BYTES_MIN = 1024;

/**
 * One cleaning of a log.
 *
 * ```
 * keys of what was never looked at ─▶ map ─▶ for each group of segments: copy what stays ─▶ fsync ─▶ manifest ─▶ swap
 * ```
 *
 * Where the map cannot take all keys, what lies behind the last that it took is left for the next cleaning.
 */
export class LogCleaning {
  readonly #core: LogCore;
  readonly #maintenance: LogMaintenance;
  readonly #options: CompactionOptions;
  readonly #pace: Pace;
  readonly #input: Buffer;
  readonly #output: Buffer;

  constructor(core: LogCore, maintenance: LogMaintenance, options: CompactionOptions, pace: Pace) {
    this.#core = core;
    this.#maintenance = maintenance;
    this.#options = options;
    this.#pace = pace;
    const bufferBytes = Math.floor(options.ioBufferBytes / Math.max(1, options.threads) / 2);
    this.#input = Buffer.allocUnsafeSlow(Math.max(BUFFER_BYTES_MIN, bufferBytes));
    this.#output = Buffer.allocUnsafeSlow(Math.max(BUFFER_BYTES_MIN, bufferBytes));
  }

  /** @throws CleaningStopped when it was told to stop, or what it works on is no longer there. */
  async run(cleanable: Cleanable): Promise<void> {
    const core = this.#core;
    const map = this.#newMap(cleanable);
    const mappedTo = await this.#mapKeys(cleanable, map);
    const segments = cleanable.segments.filter((segment) => segment.baseOffset < mappedTo);
    let keepAborted: CleanedSegment | undefined;
    const aborted = await core.aborted.between(firstOffsetOf(segments), endOffsetOf(segments));
    const filter = new TransactionFilter(aborted, (range) => keepAborted?.noteAborted(range));
    const cleaner = (): BatchCleaner =>
      new BatchCleaner(
        {
          map,
          mappedTo,
          endOffset: cleanable.endOffset,
          filter,
          lastRecords: core.producers.lastRecords(),
          nowMs: core.environment.clock.now(),
          deleteRetentionMs: core.config.deleteRetentionMs,
          compressionLevels: core.config.compressionLevels,
        },
        this.#pace,
      );
    for (const group of groupSegments(segments, core.config)) {
      const cleaned = this.#newSegment(group);
      keepAborted = cleaned;
      await this.#cleanGroup(group, cleaned, cleaner());
    }
    core.cleanedOffset = Math.max(core.cleanedOffset, mappedTo);
  }

  /** No larger than what there is to put into it: there are no more keys than offsets. */
  #newMap({ firstDirtyOffset, endOffset }: Cleanable): OffsetMap {
    const { dedupeBufferBytes, loadFactor, threads } = this.#options;
    const neededBytes = Math.ceil((endOffset - firstDirtyOffset + 1) / loadFactor) * SLOT_BYTES;
    return new OffsetMap(Math.min(neededBytes, dedupeBufferBytes / Math.max(1, threads)), loadFactor);
  }

  async #mapKeys(cleanable: Cleanable, map: OffsetMap): Promise<number> {
    const { segments, firstDirtyOffset, endOffset } = cleanable;
    const dirty = segments.filter((segment) => segment.nextOffset > firstDirtyOffset);
    const aborted = await this.#core.aborted.between(firstOffsetOf(dirty), endOffsetOf(dirty));
    const mapper = new KeyMapper(map, new TransactionFilter(aborted), cleanable, this.#pace);
    for (const segment of dirty) {
      await this.#reading(segment, (stream) => mapper.take(stream));
      if (mapper.fullAt !== undefined) return mapper.fullAt;
    }
    return endOffset;
  }

  #newSegment(group: readonly Segment[]): CleanedSegment {
    const core = this.#core;
    const { baseOffset } = group[0] as Segment;
    const { lastAppendMs } = group.at(-1) as Segment;
    const segment = new Segment(core.directory, core.epoch, baseOffset, lastAppendMs, core.nextGeneration());
    return new CleanedSegment(core, segment, this.#output, this.#pace);
  }

  async #cleanGroup(group: readonly Segment[], cleaned: CleanedSegment, cleaner: BatchCleaner): Promise<void> {
    let isFinished = false;
    try {
      let isSame = group.length === 1;
      for (const segment of group) {
        isSame = (await this.#reading(segment, (stream) => this.#copy(stream, cleaned, cleaner))) && isSame;
      }
      if (!isSame && !cleaned.isEmpty) await cleaned.finish();
      this.#pace.check();
      isFinished = !isSame;
    } finally {
      if (!isFinished) await cleaned.discard();
    }
    if (!isFinished) return;
    // From here on a manifest may name it, whatever becomes of the attempt.
    const result = cleaned.isEmpty ? [] : [cleaned.segment];
    if (await this.#maintenance.replaceSegments(group, result)) return;
    await cleaned.discard();
    throw new CleaningStopped();
  }

  /** Copies what stays of a segment; whether that is all of it. */
  async #copy(stream: BatchStream, cleaned: CleanedSegment, cleaner: BatchCleaner): Promise<boolean> {
    let isSame = true;
    while (stream.advance() || (await stream.fill())) {
      if (this.#pace.isDue) await this.#pace.breathe();
      const kept = await cleaner.clean(stream.buffer, stream.start);
      if (kept === "same") {
        await cleaned.append(stream.buffer, stream.start);
      } else {
        isSame = false;
        if (kept !== undefined) await cleaned.append(kept, 0);
      }
    }
    return isSame;
  }

  async #reading<Result>(segment: Segment, work: (stream: BatchStream) => Promise<Result>): Promise<Result> {
    // Retention, or deleted records, may have taken it away.
    if (!this.#core.segments.includes(segment)) throw new CleaningStopped();
    const handle: FileHandle = await this.#core.environment.fileSystem.open(segment.path("log"), "read");
    try {
      return await work(new BatchStream(handle, segment, this.#input, this.#pace));
    } finally {
      await handle.close();
    }
  }
}

function firstOffsetOf(segments: readonly Segment[]): number {
  return segments[0]?.baseOffset ?? 0;
}

function endOffsetOf(segments: readonly Segment[]): number {
  return segments.at(-1)?.nextOffset ?? 0;
}
