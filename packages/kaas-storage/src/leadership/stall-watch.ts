import type { Clock, Log, Timer } from "@kaas/core";

/** How many times within the time-out is looked whether anything moves. */
const CHECKS = 6;

/** Something that waits for the disk. */
export interface Stallable {
  /** Whether somebody waits. */
  readonly isBusy: boolean;
  /** Changes whenever the disk has answered. */
  readonly progress: number;
  /** Answers those who wait that it takes too long. Called again for as long as nothing moves. */
  stalled(): void;
}

export interface StallWatchOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly directory: string;
  readonly timeoutMs: number;
  readonly watched: () => Iterable<Stallable>;
}

interface Seen {
  readonly progress: number;
  readonly sinceMs: number;
}

/**
 * Sees to it that nobody waits for ever for a volume that hangs. The process is not ended for it: the volume may come
 * back, and then goes on where it was.
 */
export class StallWatch {
  readonly #options: StallWatchOptions;
  #seen = new Map<Stallable, Seen>();
  #timer: Timer | undefined;
  #isStalled = false;
  #isClosed = false;

  constructor(options: StallWatchOptions) {
    this.#options = options;
    this.#scheduleNext();
  }

  /** Whether something has waited longer than it should. */
  get isStalled(): boolean {
    return this.#isStalled;
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #scheduleNext(): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.schedule(this.#options.timeoutMs / CHECKS, () => {
      this.#check();
      this.#scheduleNext();
    });
  }

  #check(): void {
    const { clock, watched, timeoutMs } = this.#options;
    const now = clock.monotonic();
    const seen = new Map<Stallable, Seen>();
    let isStalled = false;
    for (const one of watched()) {
      if (!one.isBusy) continue;
      const before = this.#seen.get(one);
      const sinceMs = before?.progress === one.progress ? before.sinceMs : now;
      seen.set(one, { progress: one.progress, sinceMs });
      if (now - sinceMs < timeoutMs) continue;
      isStalled = true;
      one.stalled();
    }
    this.#seen = seen;
    this.#report(isStalled);
  }

  #report(isStalled: boolean): void {
    if (isStalled === this.#isStalled) return;
    this.#isStalled = isStalled;
    const { log, directory, timeoutMs } = this.#options;
    const fields = { directory, timeoutMs, status: isStalled ? "storage_stalled" : "ok" };
    if (isStalled) log.error(fields, "storage_stalled: the volume does not answer; requests that wait for it fail");
    else log.info(fields, "the volume answers again");
  }
}
