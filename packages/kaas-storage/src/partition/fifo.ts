/** A queue that neither moves its elements nor allocates for each: an array and where it begins. */
export class Fifo<Element> {
  #elements: (Element | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#elements.length - this.#head;
  }

  push(element: Element): void {
    this.#elements.push(element);
  }

  /** The element so many places behind the oldest one. */
  at(index: number): Element | undefined {
    return this.#elements[this.#head + index];
  }

  shift(): Element | undefined {
    if (this.#head === this.#elements.length) return undefined;
    const element = this.#elements[this.#head];
    this.#elements[this.#head++] = undefined;
    if (this.#head === this.#elements.length) {
      this.#elements.length = 0;
      this.#head = 0;
    } else if (this.#head >= COMPACT_AT && this.#head * 2 >= this.#elements.length) {
      this.#elements = this.#elements.slice(this.#head);
      this.#head = 0;
    }
    return element;
  }

  clear(): void {
    this.#elements.length = 0;
    this.#head = 0;
  }
}

const COMPACT_AT = 1_024;
