import { batch, crc32c } from "@kaas/core/internal";
import type { FileHandle } from "../file-system/file-system.js";

const WINDOW_BYTES = 1024 * 1024;
/** No batch is larger: clients send 100 MiB at most. What says so is no header. */
const BATCH_BYTES_MAX = 512 * 1024 * 1024;

/** What the scanner came to. `more`: the next batch has to be read first. `bad`: there is no batch at `position`. */
export type ScanStep = "batch" | "more" | "bad" | "end";

/**
 * Goes through the batches of a file, one after the other, whole batch by whole batch. Unlike recovery it goes on
 * behind a batch whose checksum is wrong, and it can look for the next sound batch behind what is none.
 *
 * ```
 * for (let step = scanner.next(); step === "batch" || step === "more"; step = scanner.next()) {
 *   if (step === "more") await scanner.fill();
 *   else use(scanner.buffer, scanner.at);
 * }
 * ```
 */
export class BatchScanner {
  /** Holds the current batch, whole, at {@link at}. */
  buffer: Buffer;
  at = 0;
  /** Size of the current batch. */
  size = 0;
  readonly #handle: FileHandle;
  readonly #to: number;
  /** Position in the file of the window's first byte. */
  #windowFrom: number;
  #filled = 0;
  #isAtEnd = false;

  /** `from` and `to` are positions in the file; bytes from `to` on are not looked at. */
  constructor(handle: FileHandle, from: number, to: number) {
    this.#handle = handle;
    this.#to = to;
    this.#windowFrom = from;
    this.buffer = Buffer.allocUnsafeSlow(Math.max(batch.BATCH_HEADER_BYTES, Math.min(WINDOW_BYTES, to - from)));
  }

  /** Where the current batch begins in the file; where there is none, where it would. */
  get position(): number {
    return this.#windowFrom + this.at;
  }

  /** Steps to the next batch. */
  next(): ScanStep {
    this.at += this.size;
    this.size = 0;
    const left = this.#to - this.position;
    if (left <= 0) return "end";
    const available = this.#filled - this.at;
    if (available < batch.BATCH_HEADER_BYTES) {
      if (!this.#isAtEnd && available < left) return "more";
      return available <= 0 ? "end" : "bad";
    }
    if (!isHeader(this.buffer, this.at)) return "bad";
    const size = batch.batchSize(this.buffer, this.at);
    if (size > left) return "bad";
    if (size > available) return this.#isAtEnd ? "bad" : "more";
    this.size = size;
    return "batch";
  }

  /** Reads on, so that the batch at {@link position} is in the buffer. */
  async fill(): Promise<void> {
    const position = this.position;
    const left = this.#to - position;
    const available = this.#filled - this.at;
    const known = available >= batch.BATCH_HEADER_BYTES ? batch.batchSize(this.buffer, this.at) : 0;
    const wanted = Math.min(left, Math.max(WINDOW_BYTES, known));
    if (this.buffer.length < wanted) this.buffer = Buffer.allocUnsafeSlow(wanted);
    this.#windowFrom = position;
    this.at = 0;
    const target = this.buffer.subarray(0, Math.min(this.buffer.length, left));
    this.#filled = await this.#handle.read(target, position);
    this.#isAtEnd = this.#filled < target.length || this.#filled === left;
  }

  /** Whether the current batch is what was written. */
  isSound(): boolean {
    const { buffer, at, size } = this;
    return crc32c(buffer, at + batch.BATCH_CRC_START, at + size) === batch.crc(buffer, at);
  }
}

/** Whether this looks like the header of a batch; zeros, as preallocation leaves them, do not. */
function isHeader(buffer: Buffer, at: number): boolean {
  const size = batch.batchSize(buffer, at);
  return (
    batch.magic(buffer, at) === batch.MAGIC_V2 &&
    size >= batch.BATCH_HEADER_BYTES &&
    size <= BATCH_BYTES_MAX &&
    batch.baseOffset(buffer, at) >= 0 &&
    batch.lastOffsetDelta(buffer, at) >= 0
  );
}

/** The position of the first sound batch in a range that has an offset of at least `offsetMin`; −1 when there is none. */
export async function findSoundBatch(handle: FileHandle, from: number, to: number, offsetMin: number): Promise<number> {
  const window = Buffer.allocUnsafeSlow(Math.max(1, Math.min(WINDOW_BYTES, to - from)));
  for (let position = from; position + batch.BATCH_HEADER_BYTES <= to; ) {
    const filled = await handle.read(window.subarray(0, Math.min(window.length, to - position)), position);
    const last = filled - batch.BATCH_HEADER_BYTES;
    for (let at = nextMagic(window, 0, last); at >= 0; at = nextMagic(window, at + 1, last)) {
      if (isHeader(window, at) && batch.baseOffset(window, at) >= offsetMin) {
        if (await isSoundAt(handle, position + at, to)) return position + at;
      }
    }
    if (last < 0) return -1;
    position += last + 1;
  }
  return -1;
}

const MAGIC_AT = 16;

/** Where a header may begin, going by its magic byte alone; −1 when nowhere up to `last`. */
function nextMagic(window: Buffer, from: number, last: number): number {
  const found = window.indexOf(batch.MAGIC_V2, from + MAGIC_AT);
  return found < 0 || found - MAGIC_AT > last ? -1 : found - MAGIC_AT;
}

async function isSoundAt(handle: FileHandle, position: number, to: number): Promise<boolean> {
  const scanner = new BatchScanner(handle, position, to);
  let step = scanner.next();
  while (step === "more") {
    await scanner.fill();
    step = scanner.next();
  }
  return step === "batch" && scanner.isSound();
}
