import type { FileHandle, FileSystem } from "../file-system/file-system.js";
import type { AbortedIndex } from "./aborted-index.js";
import type { OffsetIndex } from "./offset-index.js";
import type { Segment } from "./segment.js";
import { readAbortedIndex, readOffsetIndex, rebuildIndexes } from "./segment-indexes.js";

/** What a handle takes, roughly, beside the index. */
const HANDLE_BYTES = 4_096;

/** An open segment to read from. Whoever waits for a read keeps it from being closed under him. */
export class SegmentAccess {
  readonly handle: FileHandle;
  readonly offsets: OffsetIndex;
  /** Undefined where the index has to be made anew, or the segment still grows. */
  aborted: AbortedIndex | undefined;
  /** What the cache counts it for. */
  cachedBytes = 0;
  #users = 1;

  constructor(handle: FileHandle, offsets: OffsetIndex, aborted?: AbortedIndex) {
    this.handle = handle;
    this.offsets = offsets;
    this.aborted = aborted;
  }

  get sizeBytes(): number {
    return HANDLE_BYTES + this.offsets.sizeBytes + (this.aborted?.sizeBytes ?? 0);
  }

  get isClosed(): boolean {
    return this.#users === 0;
  }

  retain(): void {
    this.#users++;
  }

  /** Closes the handle when nobody uses it any more. */
  async release(): Promise<void> {
    if (--this.#users === 0) await this.handle.close();
  }
}

/** Closed segments that were read lately, of all logs, with their indexes; as many as fit a bound. */
export class SegmentCache {
  readonly #fileSystem: FileSystem;
  readonly #bytesMax: number;
  /** The least recently used one first. */
  readonly #accesses = new Map<Segment, SegmentAccess>();
  readonly #opening = new Map<Segment, Promise<SegmentAccess>>();
  #bytes = 0;

  constructor(fileSystem: FileSystem, bytesMax: number) {
    this.#fileSystem = fileSystem;
    this.#bytesMax = bytesMax;
  }

  /** A segment that is open already. Good for a synchronous read; whoever waits has to retain it. */
  peek(segment: Segment): SegmentAccess | undefined {
    const access = this.#accesses.get(segment);
    if (access === undefined) return undefined;
    this.#accesses.delete(segment);
    this.#accesses.set(segment, access);
    return access;
  }

  /** Opens a segment if need be. The caller has to release it. */
  async acquire(segment: Segment, intervalBytes: number): Promise<SegmentAccess> {
    for (;;) {
      const access = this.peek(segment) ?? (await this.#open(segment, intervalBytes));
      // It may have been evicted since.
      if (access.isClosed) continue;
      access.retain();
      return access;
    }
  }

  /** Takes over a segment that is open already. */
  put(segment: Segment, access: SegmentAccess): void {
    // A reader may have opened it for himself just before. A file that was only read loses nothing if it cannot be closed.
    this.#drop(segment).catch(() => undefined);
    this.#accesses.set(segment, access);
    access.cachedBytes = access.sizeBytes;
    this.#bytes += access.cachedBytes;
    for (const [oldest] of this.#accesses) {
      if (this.#bytes <= this.#bytesMax || oldest === segment) break;
      this.#drop(oldest).catch(() => undefined);
    }
  }

  /** Lets go of a segment; resolves once its file is closed or in somebody's hands. */
  async evict(segment: Segment): Promise<void> {
    await this.#opening.get(segment)?.catch(() => undefined);
    await this.#drop(segment);
  }

  async #drop(segment: Segment): Promise<void> {
    const access = this.#accesses.get(segment);
    if (access === undefined) return;
    this.#accesses.delete(segment);
    this.#bytes -= access.cachedBytes;
    await access.release();
  }

  #open(segment: Segment, intervalBytes: number): Promise<SegmentAccess> {
    let opening = this.#opening.get(segment);
    if (opening === undefined) {
      opening = this.#openAnew(segment, intervalBytes).finally(() => this.#opening.delete(segment));
      this.#opening.set(segment, opening);
    }
    return opening;
  }

  async #openAnew(segment: Segment, intervalBytes: number): Promise<SegmentAccess> {
    const handle = await this.#fileSystem.open(segment.path("log"), "read");
    try {
      const known = await readOffsetIndex(this.#fileSystem, segment);
      const offsets = known ?? (await rebuildIndexes(handle, segment, intervalBytes)).offsets;
      const aborted = segment.unsavedAborted ?? (await readAbortedIndex(this.#fileSystem, segment));
      const access = new SegmentAccess(handle, offsets, aborted);
      this.put(segment, access);
      return access;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
}
