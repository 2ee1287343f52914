import { batch } from "@kaas/core/internal";
import { type FileHandle, removeFile } from "../file-system/file-system.js";
import { AbortedIndex, type AbortedRange } from "../partition/aborted-index.js";
import { SEGMENT_FILE_KINDS } from "../partition/file-names.js";
import type { LogCore } from "../partition/log-core.js";
import type { Segment } from "../partition/segment.js";
import { replayBatch, saveAbortedIndex, SegmentIndexes, writeIndexes } from "../partition/segment-indexes.js";
import type { Pace } from "./pace.js";

/** A segment that compaction writes beside those that it stands for. Nobody knows of it until a manifest names it. */
export class CleanedSegment {
  readonly segment: Segment;
  readonly #core: LogCore;
  readonly #pace: Pace;
  readonly #indexes: SegmentIndexes;
  /** Batches that wait to be written together. */
  readonly #staged: Buffer;
  readonly #aborted: AbortedRange[] = [];
  #stagedBytes = 0;
  #writtenBytes = 0;
  #handle: FileHandle | undefined;

  /** `buffer` is lent until the segment is finished or discarded. */
  constructor(core: LogCore, segment: Segment, buffer: Buffer, pace: Pace) {
    this.#core = core;
    this.segment = segment;
    this.#indexes = new SegmentIndexes(segment);
    this.#staged = buffer;
    this.#pace = pace;
  }

  /** Whether nothing was kept. There is no file then. */
  get isEmpty(): boolean {
    return this.segment.sizeBytes === 0;
  }

  async append(buffer: Buffer, start: number): Promise<void> {
    const { segment } = this;
    const { environment, config } = this.#core;
    const size = batch.batchSize(buffer, start);
    replayBatch(segment, this.#indexes, buffer, start, segment.sizeBytes, config.indexIntervalBytes);
    environment.space.noteAppend(size);
    if (size > this.#staged.length - this.#stagedBytes) await this.#writeStaged();
    if (size > this.#staged.length) {
      await this.#writeOut(buffer.subarray(start, start + size));
      return;
    }
    buffer.copy(this.#staged, this.#stagedBytes, start, start + size);
    this.#stagedBytes += size;
  }

  /** Takes note of an aborted transaction that ends in this segment, and still has batches. */
  noteAborted(range: AbortedRange): void {
    this.#aborted.push(range);
  }

  /** Makes it durable; its name, once the directory is. */
  async finish(): Promise<void> {
    const { segment } = this;
    const { environment, directory } = this.#core;
    await this.#writeStaged();
    const handle = await this.#open();
    await environment.syncSlots.with(() => handle.dataSync());
    await this.#close();
    this.#indexes.finish();
    segment.describeAborted(AbortedIndex.of(this.#aborted));
    await writeIndexes(environment, directory, this.#indexes, segment);
    await saveAbortedIndex(environment, directory, segment);
  }

  /** Only for one that no manifest was ever to name. */
  async discard(): Promise<void> {
    const { fileSystem } = this.#core.environment;
    await this.#close();
    for (const kind of SEGMENT_FILE_KINDS) await removeFile(fileSystem, this.segment.path(kind));
  }

  async #writeStaged(): Promise<void> {
    if (this.#stagedBytes === 0) return;
    await this.#writeOut(this.#staged.subarray(0, this.#stagedBytes));
    this.#stagedBytes = 0;
  }

  async #writeOut(bytes: Buffer): Promise<void> {
    const handle = await this.#open();
    await handle.writev([bytes], this.#writtenBytes);
    this.#writtenBytes += bytes.length;
    await this.#pace.spent(bytes.length);
  }

  async #open(): Promise<FileHandle> {
    this.#handle ??= await this.#core.environment.fileSystem.open(this.segment.path("log"), "create");
    return this.#handle;
  }

  async #close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}
