const CAPACITY_MIN = 16;

/** A queue in a ring: nothing moves and nothing is allocated unless it grows. */
export class Fifo<Element> {
  #ring: (Element | undefined)[] = new Array(CAPACITY_MIN);
  /** Place of the oldest element. The capacity is a power of two. */
  #head = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(element: Element): void {
    if (this.#length === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.#length) & (this.#ring.length - 1)] = element;
    this.#length++;
  }

  /** The element so many places behind the oldest one. */
  at(index: number): Element | undefined {
    return index < this.#length ? this.#ring[(this.#head + index) & (this.#ring.length - 1)] : undefined;
  }

  shift(): Element | undefined {
    if (this.#length === 0) return undefined;
    const element = this.#ring[this.#head];
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.#length--;
    return element;
  }

  clear(): void {
    this.#ring = new Array(CAPACITY_MIN);
    this.#head = 0;
    this.#length = 0;
  }

  #grow(): void {
    const larger: (Element | undefined)[] = new Array(this.#ring.length * 2);
    for (let index = 0; index < this.#length; index++) larger[index] = this.at(index);
    this.#ring = larger;
    this.#head = 0;
  }
}
