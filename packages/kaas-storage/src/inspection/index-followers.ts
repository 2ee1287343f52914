import { OffsetIndex } from "../partition/offset-index.js";
import { TimeIndex } from "../partition/time-index.js";

/** A batch as indexes speak of it. */
export interface IndexedBatch {
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly position: number;
  /** −1: none of its records has one. */
  readonly maxTimestamp: number;
}

/** Compares an index with the batches of its segment, which are told in order. */
export interface IndexFollower {
  see(batch: IndexedBatch): void;
  /** After the last batch: what is wrong, or undefined. */
  finish(): string | undefined;
}

/** Each entry must be a batch that begins there, with its last offset; or with its first, as earlier versions wrote it. */
export class OffsetIndexFollower implements IndexFollower {
  readonly #bytes: Buffer;
  readonly #baseOffset: number;
  #entry = 0;
  #problem: string | undefined;

  constructor(bytes: Buffer, baseOffset: number) {
    this.#bytes = bytes;
    this.#baseOffset = baseOffset;
  }

  see({ baseOffset, lastOffset, position }: IndexedBatch): void {
    if (this.#problem !== undefined || this.#isDone) return;
    const at = this.#entry * OffsetIndex.ENTRY_BYTES;
    const indexedPosition = this.#bytes.readUInt32BE(at + 4);
    if (indexedPosition > position) return;
    const indexedOffset = this.#baseOffset + this.#bytes.readUInt32BE(at);
    if (indexedPosition === position && (indexedOffset === lastOffset || indexedOffset === baseOffset)) this.#entry++;
    else this.#problem = this.#describe(`offset ${indexedOffset} at byte ${indexedPosition}`);
  }

  finish(): string | undefined {
    if (this.#problem !== undefined || this.#isDone) return this.#problem;
    const at = this.#entry * OffsetIndex.ENTRY_BYTES;
    return this.#describe(`offset ${this.#baseOffset + this.#bytes.readUInt32BE(at)}, behind the last batch`);
  }

  get #isDone(): boolean {
    return (this.#entry + 1) * OffsetIndex.ENTRY_BYTES > this.#bytes.length;
  }

  #describe(what: string): string {
    return `entry ${this.#entry} says ${what}; no such batch begins there`;
  }
}

/** Each entry must be a batch that raised the largest timestamp to what the entry says; it is named as in {@link OffsetIndexFollower}. */
export class TimeIndexFollower implements IndexFollower {
  readonly #bytes: Buffer;
  readonly #baseOffset: number;
  #entry = 0;
  #largest = -1;
  #problem: string | undefined;

  constructor(bytes: Buffer, baseOffset: number) {
    this.#bytes = bytes;
    this.#baseOffset = baseOffset;
  }

  see({ baseOffset, lastOffset, maxTimestamp }: IndexedBatch): void {
    if (maxTimestamp <= this.#largest) return;
    this.#largest = maxTimestamp;
    if (this.#problem !== undefined || this.#isDone) return;
    const { timestamp, offset } = this.#read();
    if (timestamp > maxTimestamp) return;
    if (timestamp === maxTimestamp && (offset === lastOffset || offset === baseOffset)) this.#entry++;
    else this.#problem = this.#describe(timestamp, offset);
  }

  finish(): string | undefined {
    if (this.#problem !== undefined || this.#isDone) return this.#problem;
    const { timestamp, offset } = this.#read();
    return this.#describe(timestamp, offset);
  }

  get #isDone(): boolean {
    return (this.#entry + 1) * TimeIndex.ENTRY_BYTES > this.#bytes.length;
  }

  #read(): { readonly timestamp: number; readonly offset: number } {
    const at = this.#entry * TimeIndex.ENTRY_BYTES;
    return {
      timestamp: Number(this.#bytes.readBigInt64BE(at)),
      offset: this.#baseOffset + this.#bytes.readUInt32BE(at + 8),
    };
  }

  #describe(timestamp: number, offset: number): string {
    return `entry ${this.#entry} says time ${timestamp} at offset ${offset}; no batch there raised the largest time to that`;
  }
}
