import type { Socket } from "node:net";

/** A piece larger than this is not copied, however slow its reader is. */
const COPY_BYTES_MAX = 16 * 1024;

/** Answers of a connection that are to be sent together, in one `writev`. */
export class Output {
  #pieces: Buffer[] = [];
  #size = 0;

  /** Bytes that wait for {@link flush}. */
  get size(): number {
    return this.#size;
  }

  /** Adds a message. Pieces that lie next to each other in memory, as small answers do, become one. */
  add(pieces: readonly Buffer[]): void {
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
    this.#pieces = [];
    this.#size = 0;
    // What a slow client does not read must not hold on to the slabs of 64 KiB that small answers are cut from.
    const isSlow = socket.writableLength > 0;
    if (pieces.length > 1) socket.cork();
    for (const piece of pieces) socket.write(isSlow && piece.length <= COPY_BYTES_MAX ? copyOf(piece) : piece);
    if (pieces.length > 1) socket.uncork();
    return size;
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
