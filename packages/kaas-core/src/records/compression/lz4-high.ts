/**
 * LZ4 that looks longer for longer matches, at the levels of Apache Kafka's `compression.lz4.level`: the library that
 * compresses at the usual level has no others. Source: the LZ4 frame and block format descriptions.
 *
 * ```
 * frame    magic · 60 (independent blocks) · 40 (of at most 64 KiB) · header checksum · (size uint32 · block)* · 0 uint32
 * block    (token · [length of literals] · literals · offset uint16 · [length of the match])* · token · literals
 * ```
 */

const HEADER = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82]);
const BLOCK_BYTES = 64 * 1024;
const STORED = 0x8000_0000;
const MATCH_BYTES_MIN = 4;
/** The last bytes of a block are literals, and no match begins close to its end. */
const LITERALS_AT_END = 5;
const NO_MATCH_AT_END = 12;
/** A position in an output block that stored bytes are never longer than. */
const OVERHEAD_BYTES = 16;
const HASH_BITS = 15;
/** Beyond so many tries a match hardly gets longer, and the event loop waits. */
const TRIES_MAX = 1024;

/** The state of one call: tables are made for it, and go with it. */
interface Search {
  readonly input: Buffer;
  /** Where the block ends that may be matched with; matches end before its last literals. */
  readonly matchEnd: number;
  readonly tries: number;
  /** The newest position of each hash, and of each position the one before it with the same hash; relative, plus one. */
  readonly heads: Int32Array;
  readonly chain: Int32Array;
  start: number;
  /** Up to where positions are in the tables. */
  indexedTo: number;
  matchAt: number;
}

/** An LZ4 frame. `level` is 1 to 17: it doubles, up to a bound, how many earlier places are compared. */
export function compressLz4High(bytes: Buffer, level: number): Buffer {
  const tries = Math.min(2 ** (level - 1), TRIES_MAX);
  const heads = new Int32Array(1 << HASH_BITS);
  const chain = new Int32Array(BLOCK_BYTES);
  const parts: Buffer[] = [HEADER];
  for (let start = 0; start < bytes.length; start += BLOCK_BYTES) {
    const end = Math.min(bytes.length, start + BLOCK_BYTES);
    const size = Buffer.allocUnsafe(4);
    heads.fill(0);
    const search = {
      input: bytes,
      matchEnd: end - LITERALS_AT_END,
      tries,
      heads,
      chain,
      start,
      indexedTo: start,
      matchAt: 0,
    };
    const block = compressBlock(search, end);
    size.writeUInt32LE(block === undefined ? STORED + end - start : block.length);
    parts.push(size, block ?? bytes.subarray(start, end));
  }
  parts.push(Buffer.alloc(4));
  return Buffer.concat(parts);
}

/** Undefined when it would be no shorter than what it is of. */
function compressBlock(search: Search, end: number): Buffer | undefined {
  const { input, start } = search;
  const output = Buffer.allocUnsafe(end - start + OVERHEAD_BYTES);
  const outputMax = end - start;
  const last = end - NO_MATCH_AT_END;
  let written = 0;
  let literalsFrom = start;
  for (let at = start; at <= last; ) {
    let length = longestMatch(search, at);
    if (length < MATCH_BYTES_MIN) {
      at++;
      continue;
    }
    // One that begins a byte later may be longer by more than that byte costs.
    let matchAt = search.matchAt;
    while (at < last) {
      const next = longestMatch(search, at + 1);
      if (next <= length + 1) break;
      length = next;
      matchAt = search.matchAt;
      at++;
    }
    if (written + sequenceBytes(at - literalsFrom, length) > outputMax) return undefined;
    written = writeSequence(output, written, input, literalsFrom, at, at - matchAt, length);
    at += length;
    literalsFrom = at;
  }
  if (written + sequenceBytes(end - literalsFrom, 0) > outputMax) return undefined;
  written = writeSequence(output, written, input, literalsFrom, end, 0, 0);
  return written < outputMax ? output.subarray(0, written) : undefined;
}

/** The length of the longest match found for a position; where it lies is in `matchAt`. */
function longestMatch(search: Search, at: number): number {
  const { input, matchEnd, tries, heads, chain, start } = search;
  indexUpTo(search, at);
  let best = MATCH_BYTES_MIN - 1;
  let candidate = (heads[hashAt(input, at)] as number) - 1;
  for (let left = tries; left > 0 && candidate >= 0; left--) {
    const from = start + candidate;
    if (input[from + best] === input[at + best]) {
      let length = 0;
      while (at + length < matchEnd && input[from + length] === input[at + length]) length++;
      if (length > best) {
        best = length;
        search.matchAt = from;
        if (at + length >= matchEnd) break;
      }
    }
    candidate = (chain[candidate] as number) - 1;
  }
  return best < MATCH_BYTES_MIN ? 0 : best;
}

/** Puts all positions before `at` into the tables. */
function indexUpTo(search: Search, at: number): void {
  const { input, heads, chain, start } = search;
  for (; search.indexedTo < at; search.indexedTo++) {
    const hash = hashAt(input, search.indexedTo);
    const relative = search.indexedTo - start;
    chain[relative] = heads[hash] as number;
    heads[hash] = relative + 1;
  }
}

function hashAt(input: Buffer, at: number): number {
  const four =
    (input[at] as number) |
    ((input[at + 1] as number) << 8) |
    ((input[at + 2] as number) << 16) |
    ((input[at + 3] as number) << 24);
  return Math.imul(four, 0x9e37_79b1) >>> (32 - HASH_BITS);
}

/** The most that a sequence takes. */
function sequenceBytes(literals: number, matchLength: number): number {
  return 1 + Math.floor(literals / 255) + 1 + literals + (matchLength > 0 ? 3 + Math.floor(matchLength / 255) : 0);
}

/** Literals `[from, to)`, and a match behind them unless its length is 0. */
function writeSequence(
  output: Buffer,
  position: number,
  input: Buffer,
  from: number,
  to: number,
  offset: number,
  matchLength: number,
): number {
  const literals = to - from;
  const rest = matchLength === 0 ? 0 : matchLength - MATCH_BYTES_MIN;
  let at = position;
  output[at++] = (Math.min(literals, 15) << 4) | Math.min(rest, 15);
  if (literals >= 15) at = writeLength(output, at, literals - 15);
  at += input.copy(output, at, from, to);
  if (matchLength === 0) return at;
  output[at++] = offset & 0xff;
  output[at++] = offset >>> 8;
  return rest >= 15 ? writeLength(output, at, rest - 15) : at;
}

function writeLength(output: Buffer, position: number, length: number): number {
  let at = position;
  let left = length;
  for (; left >= 255; left -= 255) output[at++] = 255;
  output[at++] = left;
  return at;
}
