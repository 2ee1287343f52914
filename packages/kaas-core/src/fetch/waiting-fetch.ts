import type { LogListener, PartitionLog } from "../ports/partition-logs.js";
import type { CoarseTimer, Deadline, Expirable } from "../timers/coarse-timer.js";

/** What a waiting fetch does; one of `answer` and `fail` is called, once, unless the wait is stopped. */
export interface WaitingFetchActions {
  /** Tries again; whether it found enough. */
  look(): boolean | Promise<boolean>;
  /** Answers with what was found last. */
  answer(): void;
  fail(error: unknown): void;
}

/**
 * A fetch that found less than it wants, waiting for logs to advance or for its time to pass (long polling).
 *
 * Logs may advance many times within one turn of the event loop; the fetch looks again once at its end, with all of
 * that to read.
 */
export class WaitingFetch implements LogListener, Expirable {
  done = false;
  readonly #logs: readonly PartitionLog[];
  readonly #actions: WaitingFetchActions;
  #deadline: Deadline | undefined;
  #looking = false;
  #advancedMeanwhile = false;

  constructor(logs: readonly PartitionLog[], actions: WaitingFetchActions) {
    this.#logs = logs;
    this.#actions = actions;
  }

  start(deadlines: CoarseTimer, delayMs: number): void {
    for (const log of this.#logs) log.addListener(this);
    this.#deadline = deadlines.add(delayMs, this);
  }

  logAdvanced(): void {
    if (this.done) return;
    if (this.#looking) {
      this.#advancedMeanwhile = true;
      return;
    }
    this.#looking = true;
    queueMicrotask(() => void this.#lookAgain());
  }

  expire(): void {
    this.stop();
    this.#actions.answer();
  }

  /** Ends the wait without an answer. */
  stop(): void {
    if (this.done) return;
    this.done = true;
    this.#deadline?.remove();
    for (const log of this.#logs) log.removeListener(this);
  }

  async #lookAgain(): Promise<void> {
    try {
      do {
        this.#advancedMeanwhile = false;
        const enough = await this.#actions.look();
        if (this.done) return;
        if (enough) {
          this.expire();
          return;
        }
      } while (this.#advancedMeanwhile);
      this.#looking = false;
    } catch (error) {
      this.stop();
      this.#actions.fail(error);
    }
  }
}
