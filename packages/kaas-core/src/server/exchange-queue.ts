import { assert } from "../errors/kaas-error.js";
import { Exchange, type ExchangeOwner, ExchangeState } from "./exchange.js";

const CAPACITY_MIN = 4;

/** The exchanges of a connection in the order of their requests: a ring that grows, and whose entries are used again. */
export class ExchangeQueue {
  readonly #owner: ExchangeOwner;
  #ring: (Exchange | undefined)[] = new Array(CAPACITY_MIN).fill(undefined);
  #first = 0;
  #count = 0;

  constructor(owner: ExchangeOwner) {
    this.#owner = owner;
  }

  get count(): number {
    return this.#count;
  }

  get first(): Exchange | undefined {
    return this.#count === 0 ? undefined : this.#ring[this.#first];
  }

  /** Size of the requests that handlers are at work on. */
  get waitingBytes(): number {
    let bytes = 0;
    for (let index = 0; index < this.#count; index++) {
      const exchange = this.#ring[(this.#first + index) & (this.#ring.length - 1)];
      if (exchange?.state === ExchangeState.WAITING) bytes += exchange.frameBytes;
    }
    return bytes;
  }

  /** Lets go of the exchanges that no handler is at work on; none of them will be answered. */
  abandon(): void {
    for (let index = 0; index < this.#count; index++) {
      const exchange = this.#ring[(this.#first + index) & (this.#ring.length - 1)];
      if (exchange !== undefined && exchange.state !== ExchangeState.WAITING) exchange.clear();
    }
  }

  /** A new last exchange, to be filled in. */
  push(): Exchange {
    if (this.#count === this.#ring.length) this.#grow();
    const at = (this.#first + this.#count) & (this.#ring.length - 1);
    this.#count++;
    const exchange = this.#ring[at] ?? new Exchange(this.#owner);
    this.#ring[at] = exchange;
    return exchange;
  }

  /** Removes the first one. */
  shift(): void {
    assert(this.#count > 0, "a queue that is shifted is not empty");
    this.#ring[this.#first]?.clear();
    this.#first = (this.#first + 1) & (this.#ring.length - 1);
    this.#count--;
  }

  #grow(): void {
    const { length } = this.#ring;
    const ring: (Exchange | undefined)[] = new Array(length * 2).fill(undefined);
    for (let index = 0; index < length; index++) ring[index] = this.#ring[(this.#first + index) & (length - 1)];
    this.#ring = ring;
    this.#first = 0;
  }
}
