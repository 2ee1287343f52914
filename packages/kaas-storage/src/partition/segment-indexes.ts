import { KaasError } from "@kaas/core";
import { batch } from "@kaas/core/internal";
import { type DurableFiles, replaceFile, replaceHint } from "../documents/durable-files.js";
import { errnoOf, type FileHandle, type FileSystem } from "../file-system/file-system.js";
import { AbortedIndex } from "./aborted-index.js";
import { walkBatches } from "./batch-walk.js";
import { OffsetIndex } from "./offset-index.js";
import { Segment } from "./segment.js";
import { TimeIndex } from "./time-index.js";

/** Of these another try may know more, and to read the whole segment instead would make them worse. */
const PASSING_ERRORS: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "ENOMEM"]);

/** Both indexes of a segment while it grows. */
export class SegmentIndexes {
  readonly offsets: OffsetIndex = new OffsetIndex();
  readonly times: TimeIndex = new TimeIndex();
  readonly #segment: Segment;
  #bytesSinceEntry = 0;

  constructor(segment: Segment) {
    this.#segment = segment;
  }

  /**
   * To be called after the segment took note of the append that begins at `position`.
   *
   * @param lastOffset of the batch that begins there
   */
  note(lastOffset: number, position: number, sizeBytes: number, intervalBytes: number): void {
    if (this.#bytesSinceEntry >= intervalBytes && position > 0) {
      this.offsets.append(lastOffset - this.#segment.baseOffset, position);
      this.#noteTime();
      this.#bytesSinceEntry = 0;
    }
    this.#bytesSinceEntry += sizeBytes;
  }

  /** The segment takes nothing more. */
  finish(): void {
    this.#noteTime();
    this.#segment.indexEntries = this.offsets.count;
    this.#segment.timeIndexEntries = this.times.count;
  }

  #noteTime(): void {
    const segment = this.#segment;
    this.times.append(segment.maxTimestamp, segment.maxTimestampLastOffset - segment.baseOffset);
  }
}

/** Goes through a segment's batches as if they were appended again, and so makes its indexes. */
export async function rebuildIndexes(
  handle: FileHandle,
  segment: Segment,
  intervalBytes: number,
): Promise<SegmentIndexes> {
  const replayed = new Segment("", segment.epoch, segment.baseOffset, segment.lastAppendMs);
  const indexes = new SegmentIndexes(replayed);
  const end = await walkBatches(handle, {
    from: 0,
    to: segment.sizeBytes,
    offset: segment.baseOffset,
    verifyFrom: segment.sizeBytes,
    visit(buffer, start, position) {
      replayBatch(replayed, indexes, buffer, start, position, intervalBytes);
      return true;
    },
  });
  if (end.position !== segment.sizeBytes) {
    throw new KaasError(
      "KAAS_VOLUME_INVALID",
      `${segment.path("log")} is damaged at byte ${end.position}: no record batch begins there`,
    );
  }
  indexes.finish();
  segment.indexEntries = replayed.indexEntries;
  segment.timeIndexEntries = replayed.timeIndexEntries;
  return indexes;
}

/** Lets a segment and its indexes take note of a batch that lies in the file. */
export function replayBatch(
  segment: Segment,
  indexes: SegmentIndexes,
  buffer: Buffer,
  start: number,
  position: number,
  intervalBytes: number,
): void {
  const offset = batch.baseOffset(buffer, start);
  const sizeBytes = batch.batchSize(buffer, start);
  // A batch that compaction emptied has a timestamp, and no record of that time.
  const timestamp = batch.recordCount(buffer, start) === 0 ? -1 : batch.maxTimestamp(buffer, start);
  const lastOffset = batch.lastOffset(buffer, start);
  segment.noteAppend(sizeBytes, lastOffset + 1, timestamp, offset, lastOffset);
  indexes.note(lastOffset, position, sizeBytes, intervalBytes);
}

/** A bad sector under an index must not take the records along, which can be read without it. */
async function readIfUsable(fileSystem: FileSystem, path: string): Promise<Buffer | undefined> {
  try {
    return await fileSystem.readFile(path);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined || PASSING_ERRORS.has(errno)) throw error;
    return undefined;
  }
}

/** Reads an index file; undefined when it is missing or not what the segment says. It can always be made anew. */
export async function readOffsetIndex(fileSystem: FileSystem, segment: Segment): Promise<OffsetIndex | undefined> {
  const bytes = await readIfUsable(fileSystem, segment.path("index"));
  const index = bytes === undefined ? undefined : OffsetIndex.decode(bytes, segment.sizeBytes);
  return index?.count === segment.indexEntries ? index : undefined;
}

export async function readTimeIndex(fileSystem: FileSystem, segment: Segment): Promise<TimeIndex | undefined> {
  const bytes = await readIfUsable(fileSystem, segment.path("timeindex"));
  const index = bytes === undefined ? undefined : TimeIndex.decode(bytes, segment.nextOffset - segment.baseOffset);
  return index?.count === segment.timeIndexEntries ? index : undefined;
}

/** The same for the transactions that ended in the segment and were aborted. */
export async function readAbortedIndex(fileSystem: FileSystem, segment: Segment): Promise<AbortedIndex | undefined> {
  if (segment.abortedEntries === 0) return new AbortedIndex(0);
  const bytes = await readIfUsable(fileSystem, segment.path("txnindex"));
  const index = bytes === undefined ? undefined : AbortedIndex.decode(bytes, segment.baseOffset, segment.nextOffset);
  return index?.count === segment.abortedEntries ? index : undefined;
}

/** Writes the segment's aborted transactions if there are any. Durable: to make them anew, the whole log is read. */
export async function saveAbortedIndex(files: DurableFiles, directory: string, segment: Segment): Promise<void> {
  const { unsavedAborted } = segment;
  if (unsavedAborted === undefined) return;
  await replaceFile(files, directory, segment.fileName("txnindex"), unsavedAborted.encode());
  if (segment.unsavedAborted === unsavedAborted) segment.unsavedAborted = undefined;
}

/** Writes both index files. Not fsynced: a reader that finds them short makes them anew. */
export async function writeIndexes(
  files: DurableFiles,
  directory: string,
  indexes: SegmentIndexes,
  segment: Segment,
): Promise<void> {
  await replaceHint(files, directory, segment.fileName("index"), indexes.offsets.encode());
  await replaceHint(files, directory, segment.fileName("timeindex"), indexes.times.encode());
}
