import type { LogListener, PartitionLog } from "../ports/partition-logs.js";
import type { CoarseTimer, Expirable } from "../timers/coarse-timer.js";

/**
 * A fetch that found less than it wants, waiting for logs to advance or for its time to pass (long polling).
 *
 * Logs may advance many times within one turn of the event loop; the fetch looks again once at its end, with all of
 * that to read.
 */
export class WaitingFetch implements LogListener, Expirable {
  done = false;
  readonly #logs: readonly PartitionLog[];
  readonly #look: () => boolean | Promise<boolean>;
  readonly #timeUp: () => void;
  #looking = false;
  #advancedMeanwhile = false;

  /** `look` tries again and says whether it answered; `timeUp` answers with what there is. */
  constructor(logs: readonly PartitionLog[], look: () => boolean | Promise<boolean>, timeUp: () => void) {
    this.#logs = logs;
    this.#look = look;
    this.#timeUp = timeUp;
  }

  start(deadlines: CoarseTimer, delayMs: number): void {
    for (const log of this.#logs) log.addListener(this);
    deadlines.add(delayMs, this);
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
    this.#timeUp();
  }

  /** Ends the wait without an answer. */
  stop(): void {
    if (this.done) return;
    this.done = true;
    for (const log of this.#logs) log.removeListener(this);
  }

  async #lookAgain(): Promise<void> {
    do {
      this.#advancedMeanwhile = false;
      if (this.done) return;
      if (await this.#look()) {
        this.stop();
        return;
      }
    } while (this.#advancedMeanwhile);
    this.#looking = false;
  }
}
