import { batch, ControlType, readControlBatch } from "@kaas/core/internal";
import type { AbortedRange } from "../partition/aborted-index.js";

/** An aborted transaction that has begun and not ended, where the filter has come to. */
interface Ongoing {
  readonly range: AbortedRange;
  /** Whether one of its batches was met. */
  hasBatches: boolean;
}

/**
 * Says of each batch of a log, in order, whether transactions need it: the batches of an aborted transaction go, and a
 * marker once no batch is left of the transaction that it ends. The rules are Apache Kafka's.
 */
export class TransactionFilter {
  /** Told of every aborted transaction that still has batches, when its marker is met. */
  readonly #keepAborted: (range: AbortedRange) => void;
  /** Ascending by first offset. */
  readonly #aborted: readonly AbortedRange[];
  #next = 0;
  readonly #ongoingAborted = new Map<number, Ongoing>();
  readonly #ongoingCommitted = new Set<number>();

  /** `aborted` are all that overlap what the filter is shown, ascending by first offset. */
  constructor(aborted: readonly AbortedRange[], keepAborted: (range: AbortedRange) => void = () => undefined) {
    this.#aborted = aborted;
    this.#keepAborted = keepAborted;
  }

  /** Takes the next batch; whether no transaction needs it. */
  isNeedless(buffer: Buffer, start: number): boolean {
    this.#begin(batch.lastOffset(buffer, start));
    if (batch.isControl(buffer, start)) return this.#isNeedlessMarker(buffer, start);
    if (!batch.isTransactional(buffer, start)) return false;
    const producerId = batch.producerId(buffer, start);
    const ongoing = this.#ongoingAborted.get(producerId);
    if (ongoing === undefined) {
      this.#ongoingCommitted.add(producerId);
      return false;
    }
    ongoing.hasBatches = true;
    return true;
  }

  #isNeedlessMarker(buffer: Buffer, start: number): boolean {
    const control = readControlBatch(buffer, start);
    if (control === undefined) return true; // it was emptied before, and stays only if its producer needs it
    const producerId = batch.producerId(buffer, start);
    if (control.type === ControlType.COMMIT) return !this.#ongoingCommitted.delete(producerId);
    if (control.type !== ControlType.ABORT) return false;
    const ongoing = this.#ongoingAborted.get(producerId);
    this.#ongoingAborted.delete(producerId);
    if (ongoing?.hasBatches !== true) return true;
    this.#keepAborted(ongoing.range);
    return false;
  }

  /** Transactions that begin up to there begin. */
  #begin(offset: number): void {
    for (let range = this.#aborted[this.#next]; range !== undefined; range = this.#aborted[this.#next]) {
      if (range.firstOffset > offset) return;
      this.#next++;
      if (!this.#ongoingAborted.has(range.producerId)) {
        this.#ongoingAborted.set(range.producerId, { range, hasBatches: false });
      }
    }
  }
}
