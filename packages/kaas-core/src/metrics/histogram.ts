/** Upper bounds in milliseconds for what takes between a memory access and a stalled disk. */
export const LATENCY_BOUNDS_MS: readonly number[] = [
  0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000,
];

/** How often values fell between which bounds. Recording is a few comparisons and two additions: no allocation. */
export class Histogram {
  readonly bounds: readonly number[];
  /** One for each bound, and the last for what lies beyond all of them; each counts its own range only. */
  readonly counts: Float64Array;
  readonly #sum: Float64Array = new Float64Array(1);

  /** @param bounds inclusive, rising */
  constructor(bounds: readonly number[] = LATENCY_BOUNDS_MS) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  get sum(): number {
    return this.#sum[0] as number;
  }

  get count(): number {
    let count = 0;
    for (const some of this.counts) count += some;
    return count;
  }

  /** Counts a value, in the unit of the bounds. */
  record(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at++;
    counts[at] = (counts[at] as number) + 1;
    this.#sum[0] = (this.#sum[0] as number) + value;
  }
}
