import { type DurableFiles, writeNewFile } from "../documents/durable-files.js";
import { type FileHandle, type FileSystem, readIfThere, removeFile } from "../file-system/file-system.js";
import { SEGMENT_FILE_KINDS } from "../partition/file-names.js";
import type { Segment } from "../partition/segment.js";

/** What is read and written at once. */
const PIECE_BYTES = 1024 * 1024;

/** Told of everything that was read and written; throws where the copying is to end. */
export type Spent = (bytes: number) => Promise<void>;

/** A segment in another log directory, byte for byte, while the original may still grow. */
export class SegmentCopy {
  readonly source: Segment;
  readonly target: Segment;
  readonly #files: DurableFiles;
  #handle: FileHandle | undefined;
  #copiedBytes = 0;
  #syncedBytes = 0;
  #isComplete = false;

  constructor(files: DurableFiles, source: Segment, target: Segment) {
    this.#files = files;
    this.source = source;
    this.target = target;
  }

  get copiedBytes(): number {
    return this.#copiedBytes;
  }

  /** Copies what lies below `toBytes`, and makes it durable. What has been copied never changes. */
  async advance(toBytes: number, spent: Spent): Promise<void> {
    if (this.#isComplete) return;
    this.#handle ??= await this.#fileSystem.open(this.target.path("log"), "create");
    if (this.#copiedBytes < toBytes) await this.#copy(this.#handle, toBytes, spent);
    if (this.#syncedBytes < this.#copiedBytes) {
      await this.#handle.dataSync();
      this.#syncedBytes = this.#copiedBytes;
    }
  }

  /** The original takes nothing more, and all of it is copied: its indexes follow. */
  async complete(): Promise<void> {
    if (this.#isComplete) return;
    await this.close();
    await this.#copyIndexes();
    this.#isComplete = true;
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  /** Removes what was copied. */
  async discard(): Promise<void> {
    await this.close();
    for (const kind of SEGMENT_FILE_KINDS) await removeFile(this.#fileSystem, this.target.path(kind));
  }

  get #fileSystem(): FileSystem {
    return this.#files.fileSystem;
  }

  async #copy(target: FileHandle, toBytes: number, spent: Spent): Promise<void> {
    const source = await this.#fileSystem.open(this.source.path("log"), "read");
    try {
      const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, toBytes - this.#copiedBytes));
      while (this.#copiedBytes < toBytes) {
        const wanted = piece.subarray(0, Math.min(piece.length, toBytes - this.#copiedBytes));
        const count = await source.read(wanted, this.#copiedBytes);
        if (count === 0) throw new Error(`${this.source.path("log")} ends at byte ${this.#copiedBytes} of ${toBytes}`);
        await target.writev([wanted.subarray(0, count)], this.#copiedBytes);
        this.#copiedBytes += count;
        await spent(2 * count);
      }
    } finally {
      await source.close();
    }
  }

  /** What is missing is made anew by whoever needs it. */
  async #copyIndexes(): Promise<void> {
    for (const kind of SEGMENT_FILE_KINDS) {
      if (kind === "log") continue;
      const content = await readIfThere(this.#fileSystem, this.source.path(kind));
      if (content === undefined) continue;
      // Of the indexes one is durable: to make it anew, the whole log is read.
      await writeNewFile(this.#fileSystem, this.target.path(kind), content, kind === "txnindex");
    }
  }
}
