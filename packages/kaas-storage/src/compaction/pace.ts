import type { Clock } from "@kaas/core";

/** How long the event loop is kept at once. */
const SLICE_MS = 2;
/** Shorter waits than this are put off: a timer is not that precise. */
const WAIT_MS_MIN = 5;

/** What a timer can wait for. */
const TIMER_MS_MAX = 0x7fff_ffff;

/** Thrown where a cleaning was told to stop. */
export class CleaningStopped extends Error {
  constructor() {
    super("the cleaning was stopped");
  }
}

/** How many bytes all cleanings of a volume may read and write. */
export class IoBudget {
  readonly #clock: Clock;
  #paidUntilMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes note of bytes that were read or written; returns how long to wait for that. */
  spend(bytes: number, bytesPerSecond: number): number {
    const now = this.#clock.monotonic();
    this.#paidUntilMs = Math.max(now, this.#paidUntilMs) + (bytes / Math.max(1, bytesPerSecond)) * 1000;
    return Math.min(TIMER_MS_MAX, this.#paidUntilMs - now);
  }
}

/**
 * Keeps a cleaning from being noticed: it hands the event loop back after every slice of work, waits where it reads
 * and writes more than it may, and ends it between two slices.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #budget: IoBudget;
  readonly #bytesPerSecond: number;
  #sliceBeganMs: number;
  #isStopped = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock, budget: IoBudget, bytesPerSecond: number) {
    this.#clock = clock;
    this.#budget = budget;
    this.#bytesPerSecond = bytesPerSecond;
    this.#sliceBeganMs = clock.monotonic();
  }

  /** Ends the work at the next step; a wait ends at once. */
  stop(): void {
    this.#isStopped = true;
    this.#wake?.();
  }

  /** Whether others have waited long enough. */
  get isDue(): boolean {
    return this.#isStopped || this.#clock.monotonic() - this.#sliceBeganMs >= SLICE_MS;
  }

  /** Lets others have a turn. */
  async breathe(): Promise<void> {
    await this.#wait(0);
  }

  /** To be told of everything that was read or written. */
  async spent(bytes: number): Promise<void> {
    const waitMs = this.#budget.spend(bytes, this.#bytesPerSecond);
    if (waitMs >= WAIT_MS_MIN) await this.#wait(waitMs);
    else this.check();
  }

  /** @throws CleaningStopped */
  check(): void {
    if (this.#isStopped) throw new CleaningStopped();
  }

  async #wait(delayMs: number): Promise<void> {
    this.check();
    await new Promise<void>((resolve) => {
      const timer = this.#clock.schedule(delayMs, resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
    this.#wake = undefined;
    this.#sliceBeganMs = this.#clock.monotonic();
    this.check();
  }
}
