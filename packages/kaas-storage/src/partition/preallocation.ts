import type { FileHandle } from "../file-system/file-system.js";

const CHUNK_BYTES_MIN = 64 * 1024;
/** Larger chunks change the file's size less often, and hold up the fsync that has to take them along for longer. */
const CHUNK_BYTES_MAX = 2 * 1024 * 1024;
/** So much in one write: the file is locked meanwhile, and the event loop writes to it synchronously. */
const PIECE_BYTES = 256 * 1024;
const ZEROS: Buffer = Buffer.alloc(CHUNK_BYTES_MIN);

/**
 * Zeros written ahead of the data, so that an fsync of the data need not make a new file size and new blocks durable
 * as well. Runs in the background, in chunks that grow with what the segment takes, never across data in flight.
 *
 * ```
 * | data | zeros | zeros being written |
 *        ^ end   ^ from                ^ to
 * ```
 */
export class Preallocation {
  readonly #handle: FileHandle;
  readonly #limit: number;
  /** Below this the file has blocks, as far as we have seen to it. */
  #allocatedTo = 0;
  #writingFrom = Number.POSITIVE_INFINITY;
  #isStopped = false;
  #running: Promise<void> | undefined;
  readonly #onReady: () => void;

  constructor(handle: FileHandle, limit: number, onReady: () => void) {
    this.#handle = handle;
    this.#limit = limit;
    this.#onReady = onReady;
  }

  /** Whether the file may be longer than its data. */
  get hasPadding(): boolean {
    return this.#allocatedTo > 0;
  }

  /** Data must not be written up to there before the zeros are out; `onReady` tells when they are. */
  blocks(endPosition: number): boolean {
    return endPosition > this.#writingFrom;
  }

  /** The data now ends there: sees to it that enough is prepared. */
  advance(position: number): void {
    if (this.#running !== undefined || this.#isStopped) return;
    const chunk = Math.min(CHUNK_BYTES_MAX, Math.max(CHUNK_BYTES_MIN, roundUp(position)));
    if (this.#allocatedTo - position > chunk / 2) return;
    // Where the data has overtaken the zeros, leave it a lead.
    const from = Math.max(this.#allocatedTo, roundUp(position + chunk / 4));
    const to = Math.min(from + chunk, this.#limit);
    if (to <= from) return;
    this.#writingFrom = from;
    this.#running = this.#write(from, to).finally(() => {
      this.#running = undefined;
      this.#writingFrom = Number.POSITIVE_INFINITY;
      this.#onReady();
    });
  }

  /** Resolves when nothing is being written; nothing will be after that. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #write(from: number, to: number): Promise<void> {
    try {
      for (let at = from; at < to && !this.#isStopped; at += PIECE_BYTES) {
        const end = Math.min(to, at + PIECE_BYTES);
        await this.#handle.writev(zeros(end - at), at);
        this.#allocatedTo = end;
        this.#writingFrom = end;
        this.#onReady();
      }
    } catch {
      // A full volume, most likely. Data that no longer fits fails by itself; preparing for it can only hurt.
      this.#isStopped = true;
      this.#allocatedTo = Math.max(this.#allocatedTo, from);
    }
  }
}

function zeros(bytes: number): Buffer[] {
  const buffers: Buffer[] = [];
  for (let left = bytes; left > 0; left -= ZEROS.length) {
    buffers.push(left >= ZEROS.length ? ZEROS : ZEROS.subarray(0, left));
  }
  return buffers;
}

function roundUp(position: number): number {
  return Math.ceil(position / CHUNK_BYTES_MIN) * CHUNK_BYTES_MIN;
}
