import { KaasError } from "@kaas/core";
import { batch, crc32c } from "@kaas/core/internal";
import type { FileHandle } from "../file-system/file-system.js";
import type { Segment } from "../partition/segment.js";
import type { Pace } from "./pace.js";

/**
 * The whole batches of a closed segment, one after the other. The stream is the batch: `buffer` and `start` say where
 * the one lies that {@link advance} or {@link fill} came to, until the next call of {@link fill}.
 *
 * ```
 * while (stream.advance() || (await stream.fill())) …
 * ```
 *
 * Checksums are verified. What is rewritten gets a new one, and damage must not become truth by that.
 */
export class BatchStream {
  buffer: Buffer;
  start = 0;
  /** Of the current batch. */
  sizeBytes = 0;
  readonly #handle: FileHandle;
  readonly #segment: Segment;
  readonly #pace: Pace;
  readonly #ordinary: Buffer;
  /** End of what is in the buffer. */
  #filled = 0;
  /** Where the buffer begins in the file. */
  #position: number;

  /** `buffer` is lent; a batch that is larger gets one of its own. */
  constructor(handle: FileHandle, segment: Segment, buffer: Buffer, pace: Pace, fromPosition = 0) {
    this.#handle = handle;
    this.#segment = segment;
    this.#pace = pace;
    this.#ordinary = buffer;
    this.buffer = buffer;
    this.#position = fromPosition;
  }

  /** Goes to the next batch if it is in memory. */
  advance(): boolean {
    const start = this.start + this.sizeBytes;
    if (!this.#isWhole(start)) return false;
    this.#enter(start);
    return true;
  }

  /** Reads on, and goes to the next batch; false at the end of the segment. */
  async fill(): Promise<boolean> {
    this.#drop(this.start + this.sizeBytes);
    if (this.#position >= this.#segment.sizeBytes) return false;
    await this.#read();
    if (this.#filled < batch.BATCH_HEADER_BYTES) throw this.#damaged("the file ends there");
    if (!this.#isWhole(0)) {
      this.#enlarge();
      await this.#read();
      if (!this.#isWhole(0)) throw this.#damaged("a batch runs past the end");
    }
    this.#enter(0);
    return true;
  }

  /** Whether a whole batch begins there in the buffer. */
  #isWhole(start: number): boolean {
    if (start + batch.BATCH_HEADER_BYTES > this.#filled) return false;
    const size = batch.batchSize(this.buffer, start);
    if (size < batch.BATCH_HEADER_BYTES || batch.magic(this.buffer, start) !== batch.MAGIC_V2) {
      throw this.#damaged("no record batch begins there", start);
    }
    return start + size <= this.#filled;
  }

  #enter(start: number): void {
    const size = batch.batchSize(this.buffer, start);
    if (crc32c(this.buffer, start + batch.BATCH_CRC_START, start + size) !== batch.crc(this.buffer, start)) {
      throw this.#damaged("the checksum does not match", start);
    }
    this.start = start;
    this.sizeBytes = size;
  }

  /** Lets go of what lies before `start`. */
  #drop(start: number): void {
    const rest = this.buffer.subarray(start, this.#filled);
    const fits = rest.length <= this.#ordinary.length;
    const target = fits ? this.#ordinary : this.buffer;
    target.set(rest, 0);
    this.buffer = target;
    this.#filled = rest.length;
    this.#position += start;
    this.start = 0;
    this.sizeBytes = 0;
  }

  /** Makes room for the batch at the beginning of the buffer. */
  #enlarge(): void {
    const size = batch.batchSize(this.buffer, 0);
    if (this.#position + size > this.#segment.sizeBytes) throw this.#damaged("a batch runs past the end");
    const larger = Buffer.allocUnsafeSlow(size);
    this.buffer.copy(larger, 0, 0, this.#filled);
    this.buffer = larger;
  }

  async #read(): Promise<void> {
    const left = this.#segment.sizeBytes - this.#position - this.#filled;
    const wanted = Math.min(this.buffer.length - this.#filled, left);
    if (wanted <= 0) return;
    const into = this.buffer.subarray(this.#filled, this.#filled + wanted);
    const count = await this.#handle.read(into, this.#position + this.#filled);
    this.#filled += count;
    await this.#pace.spent(count);
    if (count < wanted) throw this.#damaged("the file ends there", this.#filled);
  }

  #damaged(reason: string, start = 0): KaasError {
    const file = this.#segment.path("log");
    return new KaasError("KAAS_VOLUME_INVALID", `${file} is damaged at byte ${this.#position + start}: ${reason}`);
  }
}
