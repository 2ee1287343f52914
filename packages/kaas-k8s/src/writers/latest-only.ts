import type { Clock, Log, Random } from "@kaas/core";
import { Backoff, type BackoffLimits } from "../reflector/backoff.js";
import { Sleeper } from "../reflector/sleeper.js";

export interface LatestOnlyOptions<T> {
  /** Writes a value; ended early by the signal. */
  readonly write: (value: T, signal: AbortSignal) => Promise<void>;
  /** For the log, such as `readiness`. */
  readonly what: string;
  /** Between attempts that fail. */
  readonly backoff: BackoffLimits;
  /** Between writes that succeed. */
  readonly pauseMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/**
 * Writes the newest value, again and again until it is written. Values that a newer one has replaced are never written, and
 * nobody waits for any of them.
 */
export class LatestOnly<T> {
  readonly #options: LatestOnlyOptions<T>;
  readonly #backoff: Backoff;
  readonly #stopping = new AbortController();
  readonly #sleeper: Sleeper;
  #wanted: { readonly value: T } | undefined;
  #isWriting = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: LatestOnlyOptions<T>) {
    this.#options = options;
    this.#backoff = new Backoff(options.backoff, options.random);
    this.#sleeper = new Sleeper(options.clock, this.#stopping.signal);
  }

  set(value: T): void {
    this.#wanted = { value };
    if (this.#isWriting || this.#stopping.signal.aborted) return;
    this.#isWriting = true;
    this.#writing = this.#run();
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#writing;
  }

  async #run(): Promise<void> {
    while (this.#wanted !== undefined && !this.#stopping.signal.aborted) {
      const wanted = this.#wanted;
      const isWritten = await this.#attempt(wanted.value);
      if (isWritten && this.#wanted === wanted) this.#wanted = undefined;
      if (isWritten) this.#backoff.reset();
      // Also after the last one: the next value is not written before the pause is over.
      await this.#sleeper.sleep(isWritten ? this.#options.pauseMs : this.#backoff.nextMs());
    }
    this.#isWriting = false;
  }

  async #attempt(value: T): Promise<boolean> {
    const { write, what, log } = this.#options;
    try {
      await write(value, this.#stopping.signal);
      return true;
    } catch (error) {
      if (!this.#stopping.signal.aborted) log.debug({ err: error }, `${what} could not be written`);
      return false;
    }
  }
}
