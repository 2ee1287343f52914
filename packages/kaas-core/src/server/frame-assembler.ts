import { assert } from "../errors/kaas-error.js";
import { foreignProtocol } from "./foreign-protocol.js";

const EMPTY = Buffer.alloc(0);
const PREFIX_BYTES = 4;
const UNKNOWN = -1;
/** Smallest buffer for a frame that lies in several chunks. */
const FRAME_BUFFER_BYTES_MIN = 16 * 1024;
/** A buffer grows to this many times what was received, so that no byte is copied often. */
const GROWTH = 4;

/**
 * Cuts the bytes of a connection into frames.
 *
 * A frame that lies whole in one chunk is a view of it. One that does not is gathered in a buffer that grows with what
 * was received, never with what was announced, and has the frame's own size in the end.
 */
export class FrameAssembler {
  #chunk: Buffer = EMPTY;
  #position = 0;
  /** The bytes of a length that lies in several chunks. */
  #prefix = 0;
  #prefixBytes = 0;
  /** Length of the frame that has begun. */
  #size = UNKNOWN;
  #frame: Buffer = EMPTY;
  #received = 0;
  #isFirst = true;

  /** Why nothing more can be read; set once a length was not acceptable. */
  fault: string | undefined = undefined;

  /** Bytes held of a frame that is not complete. */
  get heldBytes(): number {
    return this.#received;
  }

  /** Takes the next bytes; only when {@link next} has said that there is no frame left in the previous ones. */
  push(chunk: Buffer): void {
    assert(this.#position === this.#chunk.length, "a chunk is read to its end before the next");
    this.#chunk = chunk;
    this.#position = 0;
  }

  /** The next frame without its length, or undefined until more is pushed. */
  next(frameBytesMax: number): Buffer | undefined {
    if (this.#size === UNKNOWN && !this.#readSize(frameBytesMax)) return undefined;
    const end = this.#position + this.#size;
    if (this.#received > 0 || end > this.#chunk.length) return this.#gather();
    const frame = this.#chunk.subarray(this.#position, end);
    this.#position = end;
    this.#size = UNKNOWN;
    return frame;
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

  #gather(): Buffer | undefined {
    const size = Math.min(this.#chunk.length - this.#position, this.#size - this.#received);
    if (size === 0) return undefined;
    this.#reserve(this.#received + size);
    this.#chunk.copy(this.#frame, this.#received, this.#position, this.#position + size);
    this.#position += size;
    this.#received += size;
    if (this.#received < this.#size) return undefined;
    const frame = this.#frame;
    this.#frame = EMPTY;
    this.#received = 0;
    this.#size = UNKNOWN;
    return frame;
  }

  /** Never beyond the frame's size, so that a complete frame fills its buffer. */
  #reserve(capacity: number): void {
    if (capacity <= this.#frame.length) return;
    const grown = Math.min(this.#size, Math.max(FRAME_BUFFER_BYTES_MIN, GROWTH * capacity));
    const frame = Buffer.allocUnsafeSlow(grown);
    this.#frame.copy(frame, 0, 0, this.#received);
    this.#frame = frame;
  }
}
