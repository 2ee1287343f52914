import type { Clock, Log, Timer } from "@kaas/core";

/** How often the volume is looked at. */
const LOOK_INTERVAL_MS = 1_000;
/** A complaint about the same thing is made once in this time. */
const COMPLAINT_INTERVAL_MS = 60_000;

export interface DrainWatchOptions {
  /** Whether somebody wants this broker to lead nothing. */
  readonly isWished: () => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
  readonly changed: () => void;
}

/** Knows whether somebody wants this broker to lead nothing: looks each second. What cannot be read stays as it was. */
export class DrainWatch {
  readonly #options: DrainWatchOptions;
  #isWished = false;
  #timer: Timer | undefined;
  #complainedMs: number | undefined;
  #isStopped = false;

  constructor(options: DrainWatchOptions) {
    this.#options = options;
  }

  get isWished(): boolean {
    return this.#isWished;
  }

  /** Looks at once and then each second. Resolves after the first look. */
  async start(): Promise<void> {
    await this.#look();
    if (this.#isStopped) return;
    this.#timer = this.#options.clock.schedule(LOOK_INTERVAL_MS, () => void this.start());
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  async #look(): Promise<void> {
    const { isWished, log, changed } = this.#options;
    try {
      const before = this.#isWished;
      this.#isWished = await isWished();
      if (this.#isWished === before || this.#isStopped) return;
      log.info(
        {},
        this.#isWished ? "this broker is to lead nothing until that is undone" : "this broker may lead again",
      );
      changed();
    } catch (error) {
      this.#complain(error);
    }
  }

  #complain(error: unknown): void {
    const { clock, log } = this.#options;
    const now = clock.monotonic();
    if (this.#complainedMs !== undefined && now - this.#complainedMs < COMPLAINT_INTERVAL_MS) return;
    this.#complainedMs = now;
    log.warn({ err: error }, "whether this broker is to be drained cannot be read; it stays as it is");
  }
}
