import type { FileHandle, FileSystem } from "../file-system/file-system.js";

const PIECE_BYTES = 1024 * 1024;
/** So much is written before the disk is asked to begin with it. */
const SYNC_BYTES = 64 * 1024 * 1024;

/** Runs an fsync when it is its turn among all those of the volume. */
export type InTurn = (sync: () => Promise<void>) => Promise<void>;

export interface RewriteOptions {
  readonly fileSystem: FileSystem;
  readonly path: string;
  /** Another handle of the same file; uncached where another machine may have written it. */
  readonly reader: FileHandle;
  readonly from: number;
  readonly inTurn: InTurn;
}

/**
 * Makes a range of a file durable that somebody else wrote: writes the same bytes again, and fsyncs them.
 *
 * An fsync alone would do nothing. What another machine wrote is not this one's to send, though it may be in no more
 * than the server's memory. And what a process of this machine wrote may be in the cache and marked clean because
 * writing it back has failed, and was reported to that process alone.
 *
 * What is written is what its reader has found valid, in pieces, in order, while it reads on. What it leaves out is read
 * here, and has to be looked at once more: the server may have lost it before.
 */
export class Rewrite {
  readonly #reader: FileHandle;
  readonly #writer: FileHandle;
  readonly #inTurn: InTurn;
  /** Up to where everything has been written. */
  #end: number;
  #lastPiece: number;
  #unsyncedBytes = 0;
  #syncing: Promise<void> = Promise.resolve();
  #doubtfulFrom: number | undefined;

  private constructor({ reader, from, inTurn }: RewriteOptions, writer: FileHandle) {
    this.#reader = reader;
    this.#writer = writer;
    this.#inTurn = inTurn;
    this.#end = from;
    this.#lastPiece = from;
  }

  static async begin(options: RewriteOptions): Promise<Rewrite> {
    return new Rewrite(options, await options.fileSystem.open(options.path, "write"));
  }

  /** The next bytes that are valid. */
  async write(bytes: Buffer, position: number): Promise<void> {
    await this.#fill(position);
    this.#lastPiece = position;
    await this.#writer.writev([bytes], position);
    this.#end = position + bytes.length;
    this.#unsyncedBytes += bytes.length;
    if (this.#unsyncedBytes >= SYNC_BYTES) await this.#syncBehind();
  }

  /**
   * Resolves once everything up to `to` is durable, with the position of the first piece from which on it has to be
   * looked at once more, if there is one.
   */
  async finish(to: number): Promise<number | undefined> {
    await this.#fill(to);
    await this.#syncing;
    await this.#sync();
    return this.#doubtfulFrom;
  }

  async close(): Promise<void> {
    await this.#syncing.catch(() => undefined); // whoever finishes is told
    await this.#writer.close();
  }

  async #fill(to: number): Promise<void> {
    if (this.#end < to) this.#doubtfulFrom ??= this.#lastPiece;
    while (this.#end < to) {
      const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, to - this.#end));
      const count = await this.#reader.read(piece, this.#end);
      if (count === 0) return;
      await this.#writer.writev([piece.subarray(0, count)], this.#end);
      this.#end += count;
    }
  }

  /** The disk works on what has been written while more is read. */
  async #syncBehind(): Promise<void> {
    await this.#syncing;
    this.#unsyncedBytes = 0;
    this.#syncing = this.#sync();
    this.#syncing.catch(() => undefined); // awaited before the next, and at the end
  }

  #sync(): Promise<void> {
    return this.#inTurn(() => this.#writer.dataSync());
  }
}
