import type { Timer } from "@kaas/core";
import type { LogCore } from "./log-core.js";

/** What a timer can wait for; `flush.ms` is far beyond it unless it was set. */
const TIMER_MS_MAX = 0x7fff_ffff;

/** When a log that does not fsync every group is fsynced: every `flush.messages`, and every `flush.ms`. */
export class FlushSchedule {
  readonly #core: LogCore;
  readonly #flush: () => Promise<void>;
  #messages = 0;
  #isFlushing = false;
  #isStopped = false;
  #timer: Timer | undefined;

  /** `flush` handles its own failures. */
  constructor(core: LogCore, flush: () => Promise<void>) {
    this.#core = core;
    this.#flush = flush;
  }

  /** To be told of everything that was written without an fsync. */
  note(messages: number): void {
    this.#messages += messages;
    const { flushMessages, flushMs } = this.#core.config;
    if (flushMessages > 0 && this.#messages >= flushMessages) this.#run();
    if (this.#timer !== undefined || flushMs > TIMER_MS_MAX) return;
    this.#timer = this.#core.environment.clock.schedule(flushMs, () => {
      this.#timer = undefined;
      this.#run();
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #run(): void {
    if (this.#isFlushing || this.#isStopped) return;
    this.#isFlushing = true;
    this.#messages = 0;
    void this.#flush().then(() => {
      this.#isFlushing = false;
      const { flushMessages } = this.#core.config;
      if (flushMessages > 0 && this.#messages >= flushMessages) this.#run();
    });
  }
}
