import { assert } from "../errors/kaas-error.js";
import type { SharedLease } from "../ports/memory.js";
import { classBytes, POOLED_BYTES_MAX, SIZE_CLASSES, sizeClassOf } from "./size-classes.js";

const UNPOOLED = -1;
/** No batch, frame or length looks like this, and no test expects it. */
const POISON = 0xdb;

export interface BufferPoolOptions {
  /** Bytes of buffers that have come back and are kept for those who ask next. */
  readonly spareBytesMax: number;
  /** Overwrites what comes back, so that whoever still looks at it sees at once that he must not. For tests. */
  readonly poisons?: boolean | undefined;
}

/**
 * Buffers that come back. Memory outside of the JavaScript heap is dear when it is used once: every 64 MiB of it make
 * the engine look through the whole heap, and pages that were never used have to be cleared by the kernel. The buffer
 * that came back last is handed out first, since the processor's caches still have it.
 */
export class BufferPool {
  readonly #spareBytesMax: number;
  readonly #poisons: boolean;
  readonly #spare: PooledBuffer[][] = Array.from({ length: SIZE_CLASSES }, () => []);
  /** How few there were of each class since the last {@link trim}. */
  readonly #spareMin = new Uint32Array(SIZE_CLASSES);
  #spareBytes = 0;
  #lentBytes = 0;
  #made = 0;

  constructor(options: BufferPoolOptions) {
    this.#spareBytesMax = options.spareBytesMax;
    this.#poisons = options.poisons === true;
  }

  /** Bytes of buffers that somebody has. */
  get lentBytes(): number {
    return this.#lentBytes;
  }

  get spareBytes(): number {
    return this.#spareBytes;
  }

  /** How many buffers were made so far, because none was spare. */
  get made(): number {
    return this.#made;
  }

  /** A buffer of at least so many bytes, with anything in it; held once, by the caller. */
  take(bytes: number): PooledBuffer {
    const sizeClass = bytes <= POOLED_BYTES_MAX ? sizeClassOf(bytes) : UNPOOLED;
    const buffer = this.#spareOf(sizeClass) ?? this.#make(sizeClass, bytes);
    this.#lentBytes += buffer.bytes.length;
    buffer.lend();
    return buffer;
  }

  /** Lets go of what nobody wanted since this was called last. To be called now and then. */
  trim(): void {
    for (let sizeClass = 0; sizeClass < SIZE_CLASSES; sizeClass++) {
      const spare = this.#spare[sizeClass] as PooledBuffer[];
      const unwanted = this.#spareMin[sizeClass] as number;
      spare.splice(0, unwanted);
      this.#spareBytes -= unwanted * classBytes(sizeClass);
      this.#spareMin[sizeClass] = spare.length;
    }
  }

  /** For {@link PooledBuffer.release}. */
  takeBack(buffer: PooledBuffer): void {
    const size = buffer.bytes.length;
    this.#lentBytes -= size;
    if (this.#poisons) buffer.bytes.fill(POISON);
    if (buffer.sizeClass === UNPOOLED || this.#spareBytes + size > this.#spareBytesMax) return;
    this.#spareBytes += size;
    this.#spare[buffer.sizeClass]?.push(buffer);
  }

  #spareOf(sizeClass: number): PooledBuffer | undefined {
    const spare = this.#spare[sizeClass];
    const buffer = spare?.pop();
    if (spare === undefined || buffer === undefined) return undefined;
    this.#spareBytes -= buffer.bytes.length;
    if (spare.length < (this.#spareMin[sizeClass] as number)) this.#spareMin[sizeClass] = spare.length;
    return buffer;
  }

  #make(sizeClass: number, bytes: number): PooledBuffer {
    this.#made++;
    const size = sizeClass === UNPOOLED ? bytes : classBytes(sizeClass);
    return new PooledBuffer(this, Buffer.allocUnsafeSlow(size), sizeClass);
  }
}

/** A buffer that goes back to its pool when the last of its holders has released it. */
export class PooledBuffer implements SharedLease {
  readonly bytes: Buffer;
  readonly sizeClass: number;
  readonly #pool: BufferPool;
  #holders = 0;

  constructor(pool: BufferPool, bytes: Buffer, sizeClass: number) {
    this.#pool = pool;
    this.bytes = bytes;
    this.sizeClass = sizeClass;
  }

  /** For {@link BufferPool.take}. */
  lend(): void {
    assert(this.#holders === 0, "a buffer is lent to one at a time");
    this.#holders = 1;
  }

  retain(): void {
    assert(this.#holders > 0, "a buffer that has gone back is not held any more");
    this.#holders++;
  }

  release(): void {
    assert(this.#holders > 0, "a buffer is released as often as it is held");
    if (--this.#holders === 0) this.#pool.takeBack(this);
  }
}
