import type { SegmentRecord } from "../documents/document-types.js";
import type { AbortedIndex } from "./aborted-index.js";
import { type OffsetFileKind, segmentFileName } from "./file-names.js";

/** One file of a log: the batches from `baseOffset` up to `nextOffset`. */
export class Segment {
  readonly epoch: number;
  readonly baseOffset: number;
  /** 0 for one that was appended to; what compaction wrote has a number of its own within its epoch. */
  readonly generation: number;
  /** Behind its last batch. Where compaction took out what followed, the next segment begins further on. */
  nextOffset: number;
  /** How much of the file counts. Beyond it there may be zeros written ahead. */
  sizeBytes = 0;
  maxTimestamp = -1;
  /** First and last offset of the first batch that has the largest timestamp; documents have the first. */
  maxTimestampOffset = -1;
  maxTimestampLastOffset = -1;
  lastAppendMs: number;
  /** How many entries the index files have, −1 while they are not complete. */
  indexEntries = -1;
  timeIndexEntries = -1;
  /** How many transactions that ended in the segment were aborted; −1 where that has to be found out. */
  abortedEntries = -1;
  /** Those transactions while their index file is not written. */
  unsavedAborted: AbortedIndex | undefined;
  readonly #directory: string;

  constructor(directory: string, epoch: number, baseOffset: number, nowMs: number, generation = 0) {
    this.#directory = directory;
    this.epoch = epoch;
    this.baseOffset = baseOffset;
    this.generation = generation;
    this.nextOffset = baseOffset;
    this.lastAppendMs = nowMs;
  }

  static of(directory: string, record: SegmentRecord): Segment {
    const { epoch, baseOffset, lastAppendMs, generation } = record;
    const segment = new Segment(directory, epoch, baseOffset, lastAppendMs, generation);
    segment.nextOffset = record.nextOffset;
    segment.sizeBytes = record.sizeBytes;
    segment.maxTimestamp = record.maxTimestamp;
    segment.maxTimestampOffset = record.maxTimestampOffset;
    segment.indexEntries = record.indexEntries;
    segment.timeIndexEntries = record.timeIndexEntries;
    segment.abortedEntries = record.abortedEntries;
    return segment;
  }

  path(kind: OffsetFileKind): string {
    return `${this.#directory}/${this.fileName(kind)}`;
  }

  fileName(kind: OffsetFileKind): string {
    return segmentFileName(this.epoch, this.baseOffset, this.generation, kind);
  }

  /** The age that retention goes by: the youngest record's, or when it was written if records have no time. */
  get largestTimestamp(): number {
    return this.maxTimestamp >= 0 ? this.maxTimestamp : this.lastAppendMs;
  }

  /** Takes note of an append at the end of the file; the timestamp is that of the batch between the two offsets. */
  noteAppend(
    sizeBytes: number,
    nextOffset: number,
    timestamp: number,
    firstOfBatch: number,
    lastOfBatch: number,
  ): void {
    this.sizeBytes += sizeBytes;
    this.nextOffset = nextOffset;
    if (timestamp <= this.maxTimestamp) return;
    this.maxTimestamp = timestamp;
    this.maxTimestampOffset = firstOfBatch;
    this.maxTimestampLastOffset = lastOfBatch;
  }

  /** Takes the aborted transactions that ended in it; for their file to be written. */
  describeAborted(index: AbortedIndex): void {
    this.abortedEntries = index.count;
    this.unsavedAborted = index.count > 0 ? index : undefined;
  }

  record(): SegmentRecord {
    return {
      epoch: this.epoch,
      baseOffset: this.baseOffset,
      nextOffset: this.nextOffset,
      sizeBytes: this.sizeBytes,
      maxTimestamp: this.maxTimestamp,
      maxTimestampOffset: this.maxTimestampOffset,
      lastAppendMs: this.lastAppendMs,
      indexEntries: this.indexEntries,
      timeIndexEntries: this.timeIndexEntries,
      abortedEntries: this.abortedEntries,
      ...(this.generation === 0 ? {} : { generation: this.generation }),
    };
  }
}

/** The segment that holds the offset, or the nearest one below; −1 when all begin above it. */
export function segmentIndexFor(segments: readonly Segment[], offset: number): number {
  let low = 0;
  let high = segments.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((segments[middle] as Segment).baseOffset <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
