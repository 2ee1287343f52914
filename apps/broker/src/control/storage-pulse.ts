import { type Clock, type Log, STORAGE_STALLED_MS, type Timer } from "@kaas/core";

const BEAT_MS = 1_000;
/** More than this between two beats is no time in which an answer could be taken in. */
const COUNTED_MS_MAX = 1_500;

export interface StoragePulseOptions {
  /** Resolves once the volume has answered. */
  readonly ask: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called each second, and when an answer has come that was waited for. */
  readonly felt: (silentMs: number) => void;
}

/**
 * Knows for how long the volume has owed an answer: asks it each second, one question at a time. Of time in which this
 * process stood still next to nothing counts. Apart from the data plane, which may itself hang with the volume.
 */
export class StoragePulse {
  readonly #options: StoragePulseOptions;
  #silentMs = 0;
  #isAsking = false;
  #beatMs = 0;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: StoragePulseOptions) {
    this.#options = options;
  }

  /** 0 while it answers. */
  get silentMs(): number {
    return this.#silentMs;
  }

  start(): void {
    this.#beat();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #beat(): void {
    const { clock } = this.#options;
    const now = clock.monotonic();
    if (this.#isAsking) this.#wait(Math.min(now - this.#beatMs, COUNTED_MS_MAX));
    else void this.#ask();
    this.#beatMs = now;
    this.#options.felt(this.#silentMs);
    this.#timer = clock.schedule(BEAT_MS, () => this.#beat());
  }

  #wait(ms: number): void {
    const before = this.#silentMs;
    this.#silentMs += ms;
    if (before >= STORAGE_STALLED_MS || this.#silentMs < STORAGE_STALLED_MS) return;
    this.#options.log.error({ silentMs: this.#silentMs }, "the volume does not answer this broker");
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    await this.#options.ask();
    this.#isAsking = false;
    const waitedMs = this.#silentMs;
    if (waitedMs === 0 || this.#isStopped) return;
    this.#silentMs = 0;
    if (waitedMs >= STORAGE_STALLED_MS) this.#options.log.info({ waitedMs }, "the volume answers this broker again");
    this.#options.felt(0);
  }
}
