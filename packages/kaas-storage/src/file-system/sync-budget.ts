/** What a disk that is well, or a page cache, needs for a small call at the very most. */
export const CALL_MS_MAX: number = 2;
/** How many calls are made asynchronously after one that took longer, the first time and at the most. */
const ASYNC_CALLS_MIN = 4;
const ASYNC_CALLS_MAX = 64;
/** So many quick calls one after the other: whatever was slow before has passed. */
const QUICK_CALLS = 16;

/**
 * Decides whether small calls to a file, which take microseconds as long as the disk is well, may be synchronous.
 *
 * The event loop must not wait again and again for a disk that is stalled, so calls after a slow one are asynchronous.
 * But on a busy machine a call is also slow because the processor was given to somebody else meanwhile, and there the
 * hop over the thread pool makes it worse. So few are asynchronous at first, and twice as many each time that trying
 * again is slow.
 */
export class SyncBudget {
  #asyncLeft = 0;
  #asyncNext = ASYNC_CALLS_MIN;
  #quick = 0;

  /** Whether the next call is to be asynchronous; counts it. */
  takeAsync(): boolean {
    if (this.#asyncLeft === 0) return false;
    this.#asyncLeft--;
    return true;
  }

  /** Takes note of how long a synchronous call took. */
  took(elapsedMs: number): void {
    if (elapsedMs <= CALL_MS_MAX) {
      if (++this.#quick === QUICK_CALLS) this.#asyncNext = ASYNC_CALLS_MIN;
      return;
    }
    this.#quick = 0;
    this.#asyncLeft = this.#asyncNext;
    this.#asyncNext = Math.min(ASYNC_CALLS_MAX, this.#asyncNext * 2);
  }

  /** The disk is known to be stalled. */
  exhaust(): void {
    this.#asyncLeft = ASYNC_CALLS_MAX;
  }
}
