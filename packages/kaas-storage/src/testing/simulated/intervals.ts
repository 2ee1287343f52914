/** `[from, to)`. */
export type Interval = readonly [from: number, to: number];

/** A set of positions, kept as disjoint intervals in ascending order. */
export class Intervals {
  #items: Interval[] = [];

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  get items(): readonly Interval[] {
    return this.#items;
  }

  add(from: number, to: number): void {
    if (to <= from) return;
    const kept: Interval[] = [];
    let low = from;
    let high = to;
    for (const item of this.#items) {
      if (item[1] < low || item[0] > high) {
        kept.push(item);
      } else {
        low = Math.min(low, item[0]);
        high = Math.max(high, item[1]);
      }
    }
    kept.push([low, high]);
    this.#items = kept.sort((a, b) => a[0] - b[0]);
  }

  remove(from: number, to: number): void {
    const kept: Interval[] = [];
    for (const [low, high] of this.#items) {
      if (low < from) kept.push([low, Math.min(high, from)]);
      if (high > to) kept.push([Math.max(low, to), high]);
    }
    this.#items = kept.filter(([low, high]) => low < high);
  }

  clear(): void {
    this.#items = [];
  }

  covers(from: number, to: number): boolean {
    return to <= from || this.#items.some(([low, high]) => low <= from && to <= high);
  }

  /** What of `[from, to)` is not in the set. */
  missing(from: number, to: number): Interval[] {
    const gaps = new Intervals();
    gaps.add(from, to);
    for (const [low, high] of this.#items) gaps.remove(low, high);
    return gaps.#items;
  }

  take(): Interval[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }
}
