import { Fifo } from "./fifo.js";

/** A transaction that has ended, by a marker that may not be visible yet. */
interface Ended {
  readonly firstOffset: number;
  readonly markerOffset: number;
}

/**
 * What keeps the last stable offset of a log back: transactions that have not ended, and those whose marker is not
 * visible. A transaction is known here by its first offset, which no other has.
 */
export class OpenTransactions {
  /** Both in the order of their first offsets, since offsets only grow. */
  readonly #open = new Set<number>();
  readonly #unstable = new Set<number>();
  /** In the order of their markers. */
  readonly #ended = new Fifo<Ended>();

  /** Offsets come in ascending order. */
  begin(firstOffset: number): void {
    this.#open.add(firstOffset);
    this.#unstable.add(firstOffset);
  }

  /** Takes note of a marker; returns the last stable offset once that is visible, other markers on their way included. */
  end(firstOffset: number, markerOffset: number): number {
    this.#open.delete(firstOffset);
    this.#ended.push({ firstOffset, markerOffset });
    return first(this.#open) ?? markerOffset + 1;
  }

  /** The first offset that is not stable, given what is visible; undefined when all that is visible is stable. */
  firstUnstable(highWatermark: number): number | undefined {
    for (let next = this.#ended.at(0); next !== undefined; next = this.#ended.at(0)) {
      if (next.markerOffset >= highWatermark) break;
      this.#ended.shift();
      this.#unstable.delete(next.firstOffset);
    }
    return this.#unstable.size === 0 ? undefined : first(this.#unstable);
  }
}

function first(offsets: ReadonlySet<number>): number | undefined {
  for (const offset of offsets) return offset;
  return undefined;
}
