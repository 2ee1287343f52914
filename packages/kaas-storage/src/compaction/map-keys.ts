import { batch, readRecordsInPool } from "@kaas/core/internal";
import type { BatchStream } from "./batch-stream.js";
import type { Cleanable } from "./cleanable.js";
import type { OffsetMap } from "./offset-map.js";
import type { Pace } from "./pace.js";
import type { TransactionFilter } from "./transaction-filter.js";

/** So many records are looked at between two looks at the clock. */
export const RECORDS_A_LOOK = 64;

/** The first pass: notes the last offset of every key in the part of a log that was never looked at. */
export class KeyMapper {
  readonly #map: OffsetMap;
  readonly #filter: TransactionFilter;
  readonly #pace: Pace;
  readonly #from: number;
  /** The first offset whose key had no room. */
  #fullAt: number | undefined;

  constructor(map: OffsetMap, filter: TransactionFilter, { firstDirtyOffset }: Cleanable, pace: Pace) {
    this.#map = map;
    this.#filter = filter;
    this.#pace = pace;
    this.#from = firstDirtyOffset;
  }

  /** The first offset for whose key there was no room; undefined while there is. */
  get fullAt(): number | undefined {
    return this.#fullAt;
  }

  /** Takes the rest of a segment; stops when the map is full. */
  async take(stream: BatchStream): Promise<void> {
    while (stream.advance() || (await stream.fill())) {
      if (this.#pace.isDue) await this.#pace.breathe();
      const { buffer, start } = stream;
      const isAborted = this.#filter.isNeedless(buffer, start);
      if (isAborted || batch.isControl(buffer, start) || batch.lastOffset(buffer, start) < this.#from) continue;
      await this.#takeBatch(buffer, start);
      if (this.#fullAt !== undefined) return;
    }
  }

  async #takeBatch(buffer: Buffer, start: number): Promise<void> {
    if (batch.recordCount(buffer, start) === 0) return;
    const record = await readRecordsInPool(buffer, start);
    for (let count = 1; record.next(); count++) {
      if (count % RECORDS_A_LOOK === 0 && this.#pace.isDue) await this.#pace.breathe();
      const { key, offset } = record;
      if (key === null || offset < this.#from) continue;
      if (this.#map.put(key, offset)) continue;
      this.#fullAt = offset;
      return;
    }
  }
}
