import type { EpochStart } from "../documents/document-types.js";

/** Which leader epoch wrote which offsets (KIP-101): ascending in both. */
export class EpochTable {
  readonly #entries: EpochStart[];

  constructor(entries: readonly EpochStart[]) {
    this.#entries = [...entries];
  }

  /** The epoch begins to write at that offset. Epochs that came to begin there too wrote nothing. */
  begin(epoch: number, startOffset: number): void {
    while ((this.#entries.at(-1)?.startOffset ?? -1) >= startOffset) this.#entries.pop();
    this.#entries.push({ epoch, startOffset });
  }

  /** Forgets the epochs all of whose records are below the log start. */
  truncateBefore(logStartOffset: number): void {
    let covered = 0;
    while ((this.#entries[covered + 1]?.startOffset ?? Number.POSITIVE_INFINITY) <= logStartOffset) covered++;
    this.#entries.splice(0, covered);
    const first = this.#entries[0];
    if (first !== undefined && first.startOffset < logStartOffset) {
      this.#entries[0] = { epoch: first.epoch, startOffset: logStartOffset };
    }
  }

  entries(): readonly EpochStart[] {
    return this.#entries;
  }

  /** The epoch of the last record below the offset, −1 when there is none. */
  epochBefore(offset: number): number {
    for (let at = this.#entries.length - 1; at >= 0; at--) {
      const entry = this.#entries[at] as EpochStart;
      if (entry.startOffset < offset) return entry.epoch;
    }
    return -1;
  }

  /**
   * Where the records of an epoch end, as Apache Kafka answers it: for an epoch that wrote nothing, the largest below
   * it that did; for one older than all that is known, where the oldest begins.
   */
  endOffset(epoch: number, logEndOffset: number): { readonly epoch: number; readonly endOffset: number } {
    if (epoch < 0) return { epoch: -1, endOffset: -1 };
    const next = this.#entries.findIndex((entry) => entry.epoch > epoch);
    if (next < 0) {
      return this.#entries.at(-1)?.epoch === epoch ? { epoch, endOffset: logEndOffset } : { epoch: -1, endOffset: -1 };
    }
    const endOffset = (this.#entries[next] as EpochStart).startOffset;
    return { epoch: this.#entries[next - 1]?.epoch ?? epoch, endOffset };
  }
}
