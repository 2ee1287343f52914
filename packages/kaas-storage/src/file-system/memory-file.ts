import type { FileHandle } from "./file-system.js";

/** Files grow in pieces of this size, so that a large one is never copied to grow. */
const PIECE_BYTES = 256 * 1024;
const FIRST_PIECE_BYTES = 512;

/** The content of a file in memory; names and handles refer to it. */
export class MemoryInode {
  sizeBytes = 0;
  /** All of {@link PIECE_BYTES}, except that a small file has one smaller piece. */
  readonly #pieces: Buffer[] = [];

  write(bytes: Buffer, position: number): void {
    const end = position + bytes.length;
    this.#reserve(end);
    for (let done = 0; done < bytes.length; ) {
      const at = position + done;
      const within = at % PIECE_BYTES;
      done += bytes.copy(this.#pieces[Math.floor(at / PIECE_BYTES)] as Buffer, within, done);
    }
    if (end > this.sizeBytes) this.sizeBytes = end;
  }

  read(into: Buffer, position: number): number {
    const count = Math.max(0, Math.min(into.length, this.sizeBytes - position));
    for (let done = 0; done < count; ) {
      const at = position + done;
      const within = at % PIECE_BYTES;
      const piece = this.#pieces[Math.floor(at / PIECE_BYTES)] as Buffer;
      done += piece.copy(into, done, within, Math.min(piece.length, within + count - done));
    }
    return count;
  }

  truncate(sizeBytes: number): void {
    if (sizeBytes > this.sizeBytes) {
      this.#reserve(sizeBytes);
    } else {
      this.#pieces.length = Math.ceil(sizeBytes / PIECE_BYTES);
      const within = sizeBytes % PIECE_BYTES;
      // What grows back must read as zeros.
      if (within > 0) this.#pieces.at(-1)?.fill(0, within);
    }
    this.sizeBytes = sizeBytes;
  }

  #reserve(end: number): void {
    const first = this.#pieces[0];
    if (end <= PIECE_BYTES) {
      if (first !== undefined && first.length >= end) return;
      let size = first?.length ?? FIRST_PIECE_BYTES;
      while (size < end) size *= 2;
      this.#pieces[0] = grown(first, size);
      return;
    }
    if (first === undefined || first.length < PIECE_BYTES) this.#pieces[0] = grown(first, PIECE_BYTES);
    while (this.#pieces.length * PIECE_BYTES < end) this.#pieces.push(Buffer.alloc(PIECE_BYTES));
  }
}

function grown(piece: Buffer | undefined, size: number): Buffer {
  const larger = Buffer.alloc(size);
  piece?.copy(larger);
  return larger;
}

/** A handle on a file in memory. Everything is durable as long as the process is. */
export class MemoryFile implements FileHandle {
  readonly #inode: MemoryInode;
  readonly #isWritable: boolean;

  constructor(inode: MemoryInode, isWritable: boolean) {
    this.#inode = inode;
    this.#isWritable = isWritable;
  }

  writevSync(buffers: readonly Buffer[], position: number): void {
    if (!this.#isWritable) throw Object.assign(new Error("EBADF: the file is open for reading"), { code: "EBADF" });
    let at = position;
    for (const buffer of buffers) {
      this.#inode.write(buffer, at);
      at += buffer.length;
    }
  }

  async writev(buffers: readonly Buffer[], position: number): Promise<void> {
    this.writevSync(buffers, position);
  }

  readSync(into: Buffer, position: number): number {
    return this.#inode.read(into, position);
  }

  async read(into: Buffer, position: number): Promise<number> {
    return this.#inode.read(into, position);
  }

  async dataSync(): Promise<void> {}

  async truncate(sizeBytes: number): Promise<void> {
    this.#inode.truncate(sizeBytes);
  }

  async size(): Promise<number> {
    return this.#inode.sizeBytes;
  }

  async close(): Promise<void> {}
}
