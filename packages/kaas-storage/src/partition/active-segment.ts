import type { LogConfig } from "@kaas/core";
import { batch } from "@kaas/core/internal";
import type { FileHandle, FileSystem } from "../file-system/file-system.js";
import type { LogCore } from "./log-core.js";
import type { PendingAppend } from "./pending-append.js";
import { Preallocation } from "./preallocation.js";
import { Segment } from "./segment.js";
import { SegmentAccess } from "./segment-cache.js";
import { SegmentIndexes } from "./segment-indexes.js";

const RELATIVE_OFFSET_MAX = 0x7fff_ffff;
const INDEX_ENTRY_BYTES_MAX = 12;

/** The segment that is appended to. */
export class ActiveSegment {
  readonly segment: Segment;
  readonly indexes: SegmentIndexes;
  readonly access: SegmentAccess;
  readonly preallocation: Preallocation | undefined;
  /**
   * Two descriptors of the same file, for two groups of appends in flight: the kernel reports a failed write-back once
   * to each descriptor, so each group's fsync must have its own to be sure of hearing about it.
   */
  readonly #handles: readonly [FileHandle, FileHandle];
  readonly #createdMs: number;
  readonly #jitterMs: number;
  #firstTimestamp = -1;
  #isClosedForWriting = false;

  constructor(
    segment: Segment,
    handles: readonly [FileHandle, FileHandle],
    preallocation: Preallocation | undefined,
    jitterMs: number,
  ) {
    this.segment = segment;
    this.indexes = new SegmentIndexes(segment);
    this.access = new SegmentAccess(handles[0], this.indexes.offsets);
    this.preallocation = preallocation;
    this.#handles = handles;
    this.#createdMs = segment.lastAppendMs;
    this.#jitterMs = jitterMs;
  }

  handle(cycle: number): FileHandle {
    return this.#handles[cycle & 1] as FileHandle;
  }

  /** Whether the append belongs into the next segment. `segment.ms` goes by the records' own time, as in Kafka. */
  isFullFor(append: PendingAppend, config: LogConfig, nowMs: number): boolean {
    const { sizeBytes, baseOffset } = this.segment;
    if (sizeBytes === 0) return false;
    if (sizeBytes + append.buffer.length > config.segmentBytes) return true;
    if (append.nextOffset - 1 - baseOffset > RELATIVE_OFFSET_MAX) return true;
    const { offsets, times } = this.indexes;
    if (Math.max(offsets.sizeBytes, times.sizeBytes) + INDEX_ENTRY_BYTES_MAX > config.segmentIndexBytes) return true;
    const hasTimes = this.#firstTimestamp >= 0 && append.maxTimestamp >= 0;
    const age = hasTimes ? append.maxTimestamp - this.#firstTimestamp : nowMs - this.#createdMs;
    return age > longestMs(config) - this.#jitterMs;
  }

  /** Takes note of an append that goes to the end of the file. */
  note(append: PendingAppend, config: LogConfig, nowMs: number): void {
    const { segment } = this;
    const position = segment.sizeBytes;
    if (position === 0) this.#firstTimestamp = append.maxTimestamp;
    const { maxTimestamp, maxTimestampOffset, maxTimestampLastOffset } = append;
    segment.noteAppend(
      append.buffer.length,
      append.nextOffset,
      maxTimestamp,
      maxTimestampOffset,
      maxTimestampLastOffset,
    );
    segment.lastAppendMs = nowMs;
    const lastOffset = append.baseOffset + batch.lastOffsetDelta(append.buffer, 0);
    this.indexes.note(lastOffset, position, append.buffer.length, config.indexIntervalBytes);
  }

  /** Closes what only the writer needs; {@link access} stays open until it is released. */
  async closeForWriting(): Promise<void> {
    await this.preallocation?.stop();
    if (this.#isClosedForWriting) return;
    this.#isClosedForWriting = true;
    await this.#handles[1].close();
  }
}

/** How old a segment may get. What is not closed is not compacted. */
function longestMs({ cleanupPolicy, maxCompactionLagMs, segmentMs }: LogConfig): number {
  return cleanupPolicy.compact ? Math.min(segmentMs, maxCompactionLagMs) : segmentMs;
}

/** Makes the file of a new segment. Its name is not durable before the directory is. */
export async function createActiveSegment(
  core: LogCore,
  baseOffset: number,
  syncsGroups: boolean,
  onPreallocated: () => void,
): Promise<ActiveSegment> {
  const { clock, random, fileSystem } = core.environment;
  const { segmentJitterMs, segmentBytes, preallocate } = core.config;
  const segment = new Segment(core.directory, core.epoch, baseOffset, clock.now());
  const handles = await openTwice(fileSystem, segment.path("log"));
  // Where nothing waits for an fsync, writing everything twice gains nothing.
  const preallocates = fileSystem.preallocationHelps && (syncsGroups || preallocate);
  const preallocation = preallocates ? new Preallocation(handles[0], segmentBytes, onPreallocated) : undefined;
  const jitterMs = segmentJitterMs > 0 ? random.integer(segmentJitterMs) : 0;
  return new ActiveSegment(segment, handles, preallocation, jitterMs);
}

async function openTwice(fileSystem: FileSystem, path: string): Promise<readonly [FileHandle, FileHandle]> {
  const first = await fileSystem.open(path, "create");
  try {
    return [first, await fileSystem.open(path, "write")];
  } catch (error) {
    await first.close();
    throw error;
  }
}
