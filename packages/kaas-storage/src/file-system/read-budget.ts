import { CALL_MS_MAX } from "./sync-budget.js";

/** Quick reads in a row that are made asynchronously after a slow one. */
const ASYNC_READS = 16;

/**
 * Decides whether the reads of one log may be synchronous: those of a page cache take microseconds, and a hop over the
 * thread pool costs several times that. One that takes longer was not in the page cache, and the event loop must not wait
 * for the next.
 *
 * Unlike {@link SyncBudget}, which tries again after a number of calls however they went, this one waits for quick reads:
 * who reads old records goes on with old records.
 */
export class ReadBudget {
  #asyncLeft = 0;

  /** Whether the next read is to be asynchronous. */
  get isSpent(): boolean {
    return this.#asyncLeft > 0;
  }

  /** Takes note of how long a synchronous read took. */
  tookSync(elapsedMs: number): void {
    if (elapsedMs > CALL_MS_MAX) this.#asyncLeft = ASYNC_READS;
  }

  /** Takes note of how long an asynchronous read took, the wait for a thread included. */
  tookAsync(elapsedMs: number): void {
    this.#asyncLeft = elapsedMs <= CALL_MS_MAX ? Math.max(0, this.#asyncLeft - 1) : ASYNC_READS;
  }
}
