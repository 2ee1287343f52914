import { framed } from "../../packages/kaas-core/test/fakes/raw-client.js";
import type { FuzzRequests } from "./fuzz-requests.js";
import type { Prng } from "./prng.js";

/** Where the body of a frame begins that says how long it is, and what of the header is left alone. */
const PREFIX_BYTES = 4;
const CORRELATION_ID = { start: 8, end: 12 };

const SIZES: readonly number[] = [-1, -(2 ** 31), 2 ** 31 - 1, 104_857_601, 0, 1, 7];
const VARINTS: readonly Buffer[] = [
  Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]),
  Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff]),
  Buffer.from([0x80, 0x80, 0x80, 0x80, 0x00]),
  Buffer.from([0x7f, 0xff, 0xff, 0xff]),
  Buffer.from([0xff, 0xff, 0xff, 0xff]),
  Buffer.from([0x80, 0x00, 0x00, 0x00]),
  Buffer.from([0x00, 0x0f, 0xff, 0xff]),
  Buffer.from([0x7f, 0xff]),
];

/**
 * Makes frames that no client would send, out of requests that one might. Most keep a good length and a good header,
 * or a server would never look further than those.
 */
export class FuzzFrames {
  readonly #prng: Prng;
  readonly #requests: FuzzRequests;

  constructor(prng: Prng, requests: FuzzRequests) {
    this.#prng = prng;
    this.#requests = requests;
  }

  next(correlationId: number): Buffer {
    const prng = this.#prng;
    const frame = this.#requests.next(correlationId);
    const what = prng.integer(1000);
    if (what < 300) return frame;
    if (what < 550) return this.#flipped(frame);
    if (what < 700) return this.#patched(frame);
    if (what < 800) return this.#cut(frame);
    if (what < 880) return framed(Buffer.concat([frame.subarray(PREFIX_BYTES), prng.bytes(1 + prng.integer(20))]));
    if (what < 930) return this.#spliced(frame, correlationId);
    if (what < 960) return this.#otherVersion(frame);
    if (what < 985) return this.#junkBody(frame);
    if (what < 990) return framed(prng.bytes(prng.integer(200)));
    if (what < 995) return this.#otherKey(frame);
    if (what < 999) return this.#otherLength(frame);
    return this.#large(frame);
  }

  #flipped(frame: Buffer): Buffer {
    for (let flips = 1 + this.#prng.integer(4); flips > 0; flips--) {
      const at = this.#place(frame);
      frame[at] = (frame[at] as number) ^ (1 << this.#prng.integer(8));
    }
    return frame;
  }

  /** Puts lengths that lie in the places of others. */
  #patched(frame: Buffer): Buffer {
    this.#prng.pick(VARINTS).copy(frame, this.#place(frame));
    return frame;
  }

  #cut(frame: Buffer): Buffer {
    return framed(frame.subarray(PREFIX_BYTES, PREFIX_BYTES + this.#prng.integer(frame.length - PREFIX_BYTES)));
  }

  /** The beginning of one request and the end of another. */
  #spliced(frame: Buffer, correlationId: number): Buffer {
    const other = this.#requests.next(correlationId);
    const head = frame.subarray(PREFIX_BYTES, this.#place(frame));
    return framed(Buffer.concat([head, other.subarray(this.#place(other))]));
  }

  #otherVersion(frame: Buffer): Buffer {
    frame.writeInt16BE(this.#prng.oneIn(3) ? (this.#prng.uint32() << 16) >> 16 : this.#prng.integer(20), 6);
    return frame;
  }

  #otherKey(frame: Buffer): Buffer {
    frame.writeInt16BE(this.#prng.oneIn(3) ? (this.#prng.uint32() << 16) >> 16 : this.#prng.integer(100), 4);
    return frame;
  }

  #junkBody(frame: Buffer): Buffer {
    const header = frame.subarray(PREFIX_BYTES, CORRELATION_ID.end);
    return framed(Buffer.concat([header, Buffer.from([0xff, 0xff, 0]), this.#prng.bytes(this.#prng.integer(400))]));
  }

  #otherLength(frame: Buffer): Buffer {
    frame.writeInt32BE(this.#prng.pick(SIZES), 0);
    return frame;
  }

  /** Up to 2 MiB behind a good header, of bytes that all look like lengths. */
  #large(frame: Buffer): Buffer {
    const header = frame.subarray(PREFIX_BYTES, CORRELATION_ID.end);
    const body = Buffer.alloc(this.#prng.integer(2 * 1024 * 1024), this.#prng.pick([0, 1, 2, 0x7f, 0x80, 0xff]));
    return framed(Buffer.concat([header, Buffer.from([0xff, 0xff]), body]));
  }

  /** Any byte after the length that does not belong to the correlation id, by which answers are counted. */
  #place(frame: Buffer): number {
    const header = CORRELATION_ID.start - PREFIX_BYTES;
    const rest = frame.length - CORRELATION_ID.end;
    // The header is a small part of what there is to get wrong, and ends a connection when it is.
    if (rest <= 0 || this.#prng.oneIn(20)) return PREFIX_BYTES + this.#prng.integer(header);
    return CORRELATION_ID.end + this.#prng.integer(rest);
  }
}
