import { assert } from "../errors/kaas-error.js";
import type { PooledBuffer } from "../memory/buffer-pool.js";
import { ApiKey } from "../messages/generated/index.js";
import { foreignProtocol } from "./foreign-protocol.js";
import type { Frame, FrameMemory } from "./frame-memory.js";

const EMPTY = Buffer.alloc(0);
const PREFIX_BYTES = 4;
const UNKNOWN = -1;
/** Smallest buffer for a frame that lies in several chunks. */
const FRAME_BUFFER_BYTES_MIN = 16 * 1024;
/** A buffer grows to this many times what was received, so that no byte is copied often. */
const GROWTH = 4;

/** A frame that was gathered keeps its buffer if it is larger than this; buffers are no smaller than that. */
const GATHERED_BYTES_MIN = 4 * 1024;

/**
 * Cuts the bytes of a connection into frames.
 *
 * The bytes come in memory that is used again for the next read, so that each is copied once: those of Produce, which
 * are many and are kept until the disk has them, into memory that is lent, all others into memory of their own, since
 * handlers keep parts of them. A frame that comes in several pieces is gathered in a buffer that grows with what was
 * received, never with what was announced.
 */
export class FrameAssembler {
  readonly #memory: FrameMemory;
  #chunk: Buffer = EMPTY;
  #position = 0;
  /** The bytes of a length that lies in several chunks. */
  #prefix = 0;
  #prefixBytes = 0;
  /** Length of the frame that has begun. */
  #size = UNKNOWN;
  #gathered: PooledBuffer | undefined;
  #received = 0;
  #isFirst = true;

  constructor(memory: FrameMemory) {
    this.#memory = memory;
  }

  /** Why nothing more can be read; set once a length was not acceptable. */
  fault: string | undefined = undefined;

  /** Bytes held that are not part of a frame which was handed out. */
  get heldBytes(): number {
    return this.#received + this.#chunk.length - this.#position;
  }

  /**
   * Takes the next bytes; only when {@link next} has said that there is no frame left in the previous ones. They may
   * change once {@link keepRest} was called.
   */
  push(chunk: Buffer): void {
    assert(this.#position === this.#chunk.length, "a chunk is read to its end before the next");
    this.#chunk = chunk;
    this.#position = 0;
  }

  /** What was pushed and is not part of a frame yet is copied: its memory is about to be used for something else. */
  keepRest(): void {
    if (this.#position > 0 || this.#chunk.length > 0) {
      this.#chunk = this.#position === this.#chunk.length ? EMPTY : Buffer.from(this.#chunk.subarray(this.#position));
      this.#position = 0;
    }
  }

  /** Forgets everything; nothing is pushed any more. */
  release(): void {
    this.#chunk = EMPTY;
    this.#position = 0;
    this.#received = 0;
    this.#gathered?.release();
    this.#gathered = undefined;
  }

  /** The next frame without its length, or undefined until more is pushed. */
  next(frameBytesMax: number): Frame | undefined {
    if (this.#size === UNKNOWN && !this.#readSize(frameBytesMax)) return undefined;
    const end = this.#position + this.#size;
    if (this.#received > 0 || end > this.#chunk.length) return this.#gather();
    const start = this.#position;
    this.#position = end;
    this.#size = UNKNOWN;
    return this.#copy(this.#chunk, start, end);
  }

  #copy(source: Buffer, start: number, end: number): Frame {
    if (isProduce(source, start, end)) return this.#memory.copy(source, start, end);
    const bytes = Buffer.allocUnsafe(end - start);
    source.copy(bytes, 0, start, end);
    return { bytes, memory: undefined };
  }

  #readSize(frameBytesMax: number): boolean {
    if (this.fault !== undefined) {
      this.#position = this.#chunk.length;
      return false;
    }
    const chunk = this.#chunk;
    if (this.#prefixBytes === 0 && this.#position + PREFIX_BYTES <= chunk.length) {
      const size = chunk.readInt32BE(this.#position);
      this.#position += PREFIX_BYTES;
      return this.#accept(size, frameBytesMax);
    }
    while (this.#position < chunk.length) {
      this.#prefix = (this.#prefix << 8) | (chunk[this.#position++] as number);
      if (++this.#prefixBytes === PREFIX_BYTES) {
        this.#prefixBytes = 0;
        return this.#accept(this.#prefix, frameBytesMax);
      }
    }
    return false;
  }

  #accept(size: number, frameBytesMax: number): boolean {
    const foreign = this.#isFirst ? foreignProtocol(size) : undefined;
    this.#isFirst = false;
    if (size >= 0 && size <= frameBytesMax && foreign === undefined) {
      this.#size = size;
      return true;
    }
    this.#position = this.#chunk.length;
    if (foreign !== undefined) this.fault = `the client speaks no Kafka: its bytes look like ${foreign}`;
    else if (size < 0) this.fault = `a frame length of ${size}`;
    else this.fault = `a frame of ${size} bytes, more than socket.request.max.bytes=${frameBytesMax}`;
    return false;
  }

  #gather(): Frame | undefined {
    const size = Math.min(this.#chunk.length - this.#position, this.#size - this.#received);
    if (size === 0) return undefined;
    const memory = this.#reserve(this.#received + size);
    this.#chunk.copy(memory.bytes, this.#received, this.#position, this.#position + size);
    this.#position += size;
    this.#received += size;
    if (this.#received < this.#size) return undefined;
    const frameBytes = this.#size;
    this.#gathered = undefined;
    this.#received = 0;
    this.#size = UNKNOWN;
    if (frameBytes > GATHERED_BYTES_MIN && isProduce(memory.bytes, 0, frameBytes)) {
      return { bytes: memory.bytes.subarray(0, frameBytes), memory };
    }
    const frame = this.#copy(memory.bytes, 0, frameBytes);
    memory.release();
    return frame;
  }

  /** Never beyond what the frame takes. */
  #reserve(capacity: number): PooledBuffer {
    const before = this.#gathered;
    if (before !== undefined && capacity <= before.bytes.length) return before;
    const grown = this.#memory.take(Math.min(this.#size, Math.max(FRAME_BUFFER_BYTES_MIN, GROWTH * capacity)));
    before?.bytes.copy(grown.bytes, 0, 0, this.#received);
    before?.release();
    this.#gathered = grown;
    return grown;
  }
}

function isProduce(source: Buffer, start: number, end: number): boolean {
  return end - start >= 2 && source.readInt16BE(start) === ApiKey.Produce;
}
