import { BufferPool, type PooledBuffer } from "../memory/buffer-pool.js";
import type { SharedLease } from "../ports/memory.js";

/** Small frames share a slab, which comes back when the last of them is done with. */
const SLAB_BYTES = 256 * 1024;
/** A frame larger than this has a buffer of its own. */
const SLAB_FRAME_BYTES_MAX: number = SLAB_BYTES / 4;
/** What is kept for the frames to come. */
const SPARE_BYTES_MAX: number = 16 * 1024 * 1024;

/** A request as it came, without its length. */
export interface Frame {
  readonly bytes: Buffer;
  /** What the bytes are lent by, held once for whoever has the frame; undefined where they are his for good. */
  readonly memory: SharedLease | undefined;
}

/**
 * The memory of requests that bring records. A broker that takes records in at full speed would otherwise leave as much
 * memory behind as it receives, and have all of its heap looked through for every 64 MiB of it.
 */
export class FrameMemory {
  readonly #buffers: BufferPool;
  #slab: PooledBuffer | undefined;
  #slabUsed = 0;

  constructor(poisons = false) {
    this.#buffers = new BufferPool({ spareBytesMax: SPARE_BYTES_MAX, poisons });
  }

  /** Bytes of buffers that are in use. */
  get lentBytes(): number {
    return this.#buffers.lentBytes;
  }

  /** A copy of some bytes. */
  copy(source: Buffer, start: number, end: number): Frame {
    const size = end - start;
    if (size > SLAB_FRAME_BYTES_MAX) {
      const memory = this.#buffers.take(size);
      source.copy(memory.bytes, 0, start, end);
      return { bytes: memory.bytes.subarray(0, size), memory };
    }
    const memory = this.#slabFor(size);
    const at = this.#slabUsed;
    this.#slabUsed = at + size;
    memory.retain();
    source.copy(memory.bytes, at, start, end);
    return { bytes: memory.bytes.subarray(at, at + size), memory };
  }

  /** A buffer to gather a frame in. */
  take(bytes: number): PooledBuffer {
    return this.#buffers.take(bytes);
  }

  /** Lets go of buffers that were not needed since the last call. */
  trim(): void {
    this.#buffers.trim();
  }

  #slabFor(size: number): PooledBuffer {
    if (this.#slab !== undefined && this.#slabUsed + size <= SLAB_BYTES) return this.#slab;
    this.#slab?.release();
    this.#slab = this.#buffers.take(SLAB_BYTES);
    this.#slabUsed = 0;
    return this.#slab;
  }
}
