import { hash } from "node:crypto";

/** Sixteen bytes of hash and eight of offset, as in Apache Kafka. */
export const SLOT_BYTES: number = 24;
const HASH_WORDS = 4;
const SLOTS_MIN = 16;

/**
 * The last offset of each key, in memory of a fixed size: open addressing over typed arrays. Keys are known by the
 * first 128 bits of their SHA-256. Two keys that agree in those would be taken for one; nobody knows how to make such a
 * pair, and chance needs some 10^19 keys for it.
 */
export class OffsetMap {
  readonly #slotCount: number;
  readonly #hashes: Uint32Array;
  /** One more than the offset, so that memory that was never written to is empty. */
  readonly #nextOffsets: Float64Array;
  readonly #keysMax: number;
  #size = 0;
  #word0 = 0;
  #word1 = 0;
  #word2 = 0;
  #word3 = 0;

  /** As many slots as `bytesMax` holds, of which no more than `loadFactor` are filled. */
  constructor(bytesMax: number, loadFactor: number) {
    this.#slotCount = Math.max(SLOTS_MIN, Math.floor(bytesMax / SLOT_BYTES));
    this.#hashes = new Uint32Array(this.#slotCount * HASH_WORDS);
    this.#nextOffsets = new Float64Array(this.#slotCount);
    // One slot at least stays empty: it is what ends a search.
    this.#keysMax = Math.min(this.#slotCount - 1, Math.max(1, Math.floor(this.#slotCount * loadFactor)));
  }

  /** Keys in the map. */
  get size(): number {
    return this.#size;
  }

  /** How many keys it takes. */
  get keysMax(): number {
    return this.#keysMax;
  }

  /** Notes a key's offset in place of an earlier one. False, and nothing is noted, when there is no room for the key. */
  put(key: Buffer, offset: number): boolean {
    const slot = this.#find(key);
    if (this.#nextOffsets[slot] === 0) {
      if (this.#size >= this.#keysMax) return false;
      const at = slot * HASH_WORDS;
      this.#hashes[at] = this.#word0;
      this.#hashes[at + 1] = this.#word1;
      this.#hashes[at + 2] = this.#word2;
      this.#hashes[at + 3] = this.#word3;
      this.#size++;
    }
    this.#nextOffsets[slot] = offset + 1;
    return true;
  }

  /** The key's last offset; −1 when it is not in the map. */
  get(key: Buffer): number {
    return (this.#nextOffsets[this.#find(key)] as number) - 1;
  }

  /** The slot that has the key, or the one where it would go. */
  #find(key: Buffer): number {
    this.#hash(key);
    let slot = this.#word0 % this.#slotCount;
    while (this.#nextOffsets[slot] !== 0 && !this.#isHere(slot)) {
      slot++;
      if (slot === this.#slotCount) slot = 0;
    }
    return slot;
  }

  #isHere(slot: number): boolean {
    const at = slot * HASH_WORDS;
    return (
      this.#hashes[at] === this.#word0 &&
      this.#hashes[at + 1] === this.#word1 &&
      this.#hashes[at + 2] === this.#word2 &&
      this.#hashes[at + 3] === this.#word3
    );
  }

  /** A string of bytes costs a third of what a buffer does to make. */
  #hash(key: Buffer): void {
    const digest = hash("sha256", key, "binary");
    this.#word0 = word(digest, 0);
    this.#word1 = word(digest, 4);
    this.#word2 = word(digest, 8);
    this.#word3 = word(digest, 12);
  }
}

function word(digest: string, at: number): number {
  const high = (digest.charCodeAt(at) << 24) | (digest.charCodeAt(at + 1) << 16);
  return (high | (digest.charCodeAt(at + 2) << 8) | digest.charCodeAt(at + 3)) >>> 0;
}
