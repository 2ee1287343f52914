/** States by number, each once, in as few bytes as they have. */
const STATES_A_CHUNK = 1 << 16;

export class StateSet {
  readonly #bytes: number;
  readonly #words: number;
  readonly #chunks: Uint32Array[] = [];
  #table: Int32Array = new Int32Array(1 << 16).fill(-1);
  #hashes: Int32Array = new Int32Array(1 << 16);
  count = 0;

  /** @param bytes of a state, a multiple of 4 */
  constructor(bytes: number) {
    this.#bytes = bytes;
    this.#words = bytes / 4;
  }

  /** The number of a state that was not there before, or −1. The words are those of its first bytes. */
  add(state: Uint32Array): number {
    const hash = hashOf(state, this.#words);
    const mask = this.#table.length - 1;
    let slot = hash & mask;
    for (let found = this.#table[slot] as number; found >= 0; found = this.#table[slot] as number) {
      if (this.#hashes[slot] === hash && this.#equals(found, state)) return -1;
      slot = (slot + 1) & mask;
    }
    const number = this.count++;
    this.#table[slot] = number;
    this.#hashes[slot] = hash;
    const within = number % STATES_A_CHUNK;
    if (within === 0) this.#chunks.push(new Uint32Array(STATES_A_CHUNK * this.#words));
    const chunk = this.#chunks.at(-1) as Uint32Array;
    const at = within * this.#words;
    for (let word = 0; word < this.#words; word++) chunk[at + word] = state[word] as number;
    if (this.count * 2 > this.#table.length) this.#grow();
    return number;
  }

  /** Copies a state out. */
  get(number: number, into: Uint8Array): void {
    const chunk = this.#chunks[Math.floor(number / STATES_A_CHUNK)] as Uint32Array;
    into.set(new Uint8Array(chunk.buffer, (number % STATES_A_CHUNK) * this.#bytes, this.#bytes));
  }

  #equals(number: number, state: Uint32Array): boolean {
    const chunk = this.#chunks[Math.floor(number / STATES_A_CHUNK)] as Uint32Array;
    const at = (number % STATES_A_CHUNK) * this.#words;
    for (let word = 0; word < this.#words; word++) if (chunk[at + word] !== state[word]) return false;
    return true;
  }

  #grow(): void {
    const table = new Int32Array(this.#table.length * 2).fill(-1);
    const hashes = new Int32Array(table.length);
    const mask = table.length - 1;
    for (let from = 0; from < this.#table.length; from++) {
      const number = this.#table[from] as number;
      if (number < 0) continue;
      const hash = this.#hashes[from] as number;
      let slot = hash & mask;
      while ((table[slot] as number) >= 0) slot = (slot + 1) & mask;
      table[slot] = number;
      hashes[slot] = hash;
    }
    this.#table = table;
    this.#hashes = hashes;
  }
}

function hashOf(state: Uint32Array, words: number): number {
  let hash = 0x9e3779b9;
  for (let word = 0; word < words; word++) {
    hash = Math.imul(hash ^ (state[word] as number), 0x85ebca6b);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) & 0x7fffffff;
}
