/** Numbers that a seed decides (the generator sfc32): the same seed, the same history. */
export class Chance {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b = Math.imul(seed, 0x9e37_79b9) | 0;
    this.#c = 0x2545_f491;
    for (let turn = 0; turn < 12; turn++) this.#next();
  }

  /** In [0, 1). */
  fraction(): number {
    return this.#next() / 0x1_0000_0000;
  }

  /** An integer in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  between(low: number, high: number): number {
    return low + this.fraction() * (high - low);
  }

  /** Draws nothing where the answer is certain, so that a rate of 0 leaves the rest of a history alone. */
  happens(probability: number): boolean {
    return probability > 0 && this.fraction() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  /** Another source, whose draws shift nothing here. */
  fork(): Chance {
    return new Chance(this.#next());
  }

  #next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }
}
