import { assert, type Lease, type SharedLease } from "@kaas/core";
import { BufferPool, type PooledBuffer } from "@kaas/core/internal";

/** What each read may still have while memory is short, or one batch if that is larger. */
export const SHORT_READ_BYTES: number = 64 * 1024;

export interface ReadMemoryOptions {
  /** Bytes lent to all readers together, beyond which each gets little. */
  readonly bytesMax: number;
  /** Bytes of buffers that are kept for the next reads. */
  readonly spareBytesMax: number;
  /** Overwrites what comes back: for tests. */
  readonly poisons: boolean;
}

/**
 * The memory of what has been read and is not sent yet, for all logs together.
 *
 * It is bounded without anybody having to wait: beyond the bound a read gets no more than {@link SHORT_READ_BYTES} or
 * one batch, and the second partition of a fetch gets nothing, so that clients which do not read their answers hold at
 * most a little each and all others go on, in smaller steps.
 */
export class ReadMemory {
  readonly #bytesMax: number;
  readonly #buffers: BufferPool;
  /** What readers have of the tail cache: it stays in memory for them though the cache may have dropped it. */
  #tailBytes = 0;

  constructor({ bytesMax, spareBytesMax, poisons }: ReadMemoryOptions) {
    this.#bytesMax = bytesMax;
    this.#buffers = new BufferPool({ spareBytesMax, poisons });
  }

  get lentBytes(): number {
    return this.#buffers.lentBytes + this.#tailBytes;
  }

  get isShort(): boolean {
    return this.lentBytes >= this.#bytesMax;
  }

  /** A buffer to read into: to be released, or to be made a lease. */
  take(bytes: number): PooledBuffer {
    return this.#buffers.take(bytes);
  }

  /** Lends parts of appends that lie in memory, which is held for the reader. */
  lendTail(bytes: number, memories: readonly SharedLease[]): Lease {
    this.#tailBytes += bytes;
    return new ReadLease(() => {
      this.#tailBytes -= bytes;
      for (const memory of memories) memory.release();
    });
  }

  /** Lets go of buffers that were not needed since the last call. */
  trim(): void {
    this.#buffers.trim();
  }
}

/** One result's memory. It goes back once: a second time might hit the buffer's next reader. */
export class ReadLease implements Lease {
  #giveBack: (() => void) | undefined;

  constructor(giveBack: () => void) {
    this.#giveBack = giveBack;
  }

  release(): void {
    const giveBack = this.#giveBack;
    assert(giveBack !== undefined, "what was read is released once");
    this.#giveBack = undefined;
    giveBack();
  }
}
