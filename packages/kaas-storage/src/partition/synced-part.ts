import type { FileHandle } from "../file-system/file-system.js";
import type { ActiveSegment } from "./active-segment.js";
import type { LogCore } from "./log-core.js";

/** How much of the active segment is durable, and what it takes to make it so. */
export class SyncedPart {
  readonly #core: LogCore;
  readonly #moved: (active: ActiveSegment, sizeBytes: number) => void;
  #sizeBytes = 0;
  #isDirectoryDirty = false;

  /** `moved` is told of each fsync that covers more than those before. */
  constructor(core: LogCore, moved: (active: ActiveSegment, sizeBytes: number) => void) {
    this.#core = core;
    this.#moved = moved;
  }

  /** How much of the active segment some fsync has covered. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Whether something was written that no fsync has covered. */
  get isBehind(): boolean {
    return (this.#core.active?.segment.sizeBytes ?? 0) > this.#sizeBytes;
  }

  /** There is another active segment now, whose name is not durable yet. */
  beginSegment(): void {
    this.#sizeBytes = 0;
    this.#isDirectoryDirty = true;
  }

  /** Makes what was written durable, and the name of a new file with it. */
  async sync(handle: FileHandle): Promise<void> {
    if (!this.#isDirectoryDirty) return handle.dataSync();
    this.#isDirectoryDirty = false;
    const { fileSystem } = this.#core.environment;
    await Promise.all([handle.dataSync(), fileSystem.syncDirectory(this.#core.directory)]);
  }

  /** An fsync that began after so much had been written has ended. */
  note(active: ActiveSegment, sizeBytes: number): void {
    if (active !== this.#core.active || sizeBytes <= this.#sizeBytes) return;
    this.#sizeBytes = sizeBytes;
    this.#moved(active, sizeBytes);
  }
}
