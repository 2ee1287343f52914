import type { Socket } from "node:net";
import { Leases } from "../memory/leases.js";
import type { Lease } from "../ports/memory.js";

/** A piece larger than this is not copied, however slow its reader is. */
const COPY_BYTES_MAX = 16 * 1024;

/**
 * Answers of a connection that are to be sent together, in one `writev`. What their memory is lent by is released when
 * the socket has taken them, or has failed to.
 */
export class Output {
  #pieces: Buffer[] = [];
  #leases: Lease[] = [];
  #size = 0;

  /** Bytes that wait for {@link flush}. */
  get size(): number {
    return this.#size;
  }

  /** Adds a message. Pieces that lie next to each other in memory, as small answers do, become one. */
  add(pieces: readonly Buffer[], lease: Lease | undefined): void {
    if (lease !== undefined) this.#leases.push(lease);
    for (const piece of pieces) {
      this.#size += piece.length;
      const last = this.#pieces.length - 1;
      const joined = last < 0 ? undefined : join(this.#pieces[last] as Buffer, piece);
      if (joined === undefined) this.#pieces.push(piece);
      else this.#pieces[last] = joined;
    }
  }

  /** Hands everything to the socket; returns how many bytes that were. */
  flush(socket: Socket): number {
    const size = this.#size;
    if (size === 0) return 0;
    const pieces = this.#pieces;
    const sent = this.#reset();
    // What a slow client does not read must not hold on to the slabs of 64 KiB that small answers are cut from.
    const isSlow = socket.writableLength > 0;
    const last = pieces.length - 1;
    if (last > 0) socket.cork();
    for (let index = 0; index <= last; index++) {
      const piece = pieces[index] as Buffer;
      const bytes = isSlow && piece.length <= COPY_BYTES_MAX ? copyOf(piece) : piece;
      if (index === last && sent !== undefined) socket.write(bytes, () => sent.release());
      else socket.write(bytes);
    }
    if (last > 0) socket.uncork();
    return size;
  }

  /** Throws away what was not flushed. */
  discard(): void {
    this.#reset()?.release();
  }

  #reset(): Lease | undefined {
    const sent = Leases.of(this.#leases);
    if (sent !== undefined) this.#leases = [];
    this.#pieces = [];
    this.#size = 0;
    return sent;
  }
}

function join(first: Buffer, second: Buffer): Buffer | undefined {
  if (first.buffer !== second.buffer || first.byteOffset + first.length !== second.byteOffset) return undefined;
  return Buffer.from(first.buffer, first.byteOffset, first.length + second.length);
}

function copyOf(piece: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(piece.length);
  piece.copy(copy);
  return copy;
}
