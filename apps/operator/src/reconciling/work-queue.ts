import type { Clock, Log, Random, Timer } from "@kaas/core";

/** What became of one turn of a key. */
export interface Turn {
  /** Look at it again after so long, whether or not anything happens; left out: when something does. */
  readonly againAfterMs?: number;
}

/** What was looked at has changed meanwhile: the watch will soon tell. */
export const OUTDATED: Turn = { againAfterMs: 500 };

export interface WorkQueueOptions {
  /** For the log. */
  readonly name: string;
  readonly process: (key: string) => Promise<Turn>;
  /** How many keys are worked on at once; never twice the same. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The first wait after a failure of a key, and the longest. */
const BACKOFF_FIRST_MS = 1_000;
const BACKOFF_LONGEST_MS = 120_000;

/**
 * Keys that something is to be done about. One that is added again before its turn has one turn; one that is added
 * during its turn has another. A key whose turn fails waits twice as long each time, whatever else goes on.
 *
 * ```
 *              add ──► waiting for a turn ──► in work ──► done, or again after a while
 *                          ▲                    │ fails
 *                          └── after a backoff ─┘
 * ```
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #ready = new Set<string>();
  readonly #working = new Set<string>();
  readonly #later = new Map<string, Timer>();
  readonly #failures = new Map<string, number>();
  #idle: (() => void)[] = [];
  #isStopped = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Keys that have a turn, or are about to. */
  get depth(): number {
    return this.#ready.size + this.#working.size;
  }

  add(key: string): void {
    if (this.#isStopped) return;
    this.#later.get(key)?.cancel();
    this.#later.delete(key);
    this.#ready.add(key);
    this.#work();
  }

  /** Forgets that a key is to be looked at again, and that it failed. */
  forget(key: string): void {
    this.#later.get(key)?.cancel();
    this.#later.delete(key);
    this.#failures.delete(key);
    this.#ready.delete(key);
  }

  /** Resolves when nothing has a turn, not counting what is to be looked at later. */
  async idle(): Promise<void> {
    while (this.depth > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Begins nothing any more, and resolves when what was begun has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#later.values()) timer.cancel();
    this.#later.clear();
    this.#ready.clear();
    await this.idle();
  }

  #work(): void {
    for (const key of this.#ready) {
      if (this.#working.size >= this.#options.concurrency) return;
      if (this.#working.has(key)) continue; // its turn comes after the one that it has
      this.#ready.delete(key);
      this.#working.add(key);
      void this.#turn(key);
    }
  }

  async #turn(key: string): Promise<void> {
    const { process, log, name } = this.#options;
    try {
      const { againAfterMs } = await process(key);
      this.#failures.delete(key);
      if (againAfterMs !== undefined) this.#addLater(key, againAfterMs);
    } catch (error) {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      const waitMs = this.#backoffMs(failures);
      log.warn({ err: error, key, failures, waitMs }, `${name} ${key}: failed, and is tried again`);
      this.#addLater(key, waitMs);
    }
    this.#working.delete(key);
    this.#work();
    if (this.depth > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #addLater(key: string, waitMs: number): void {
    if (this.#isStopped || this.#ready.has(key)) return;
    this.#later.get(key)?.cancel();
    this.#later.set(
      key,
      this.#options.clock.schedule(waitMs, () => this.add(key)),
    );
  }

  /** Doubles, and is shortened by chance, so that keys that failed together do not come back together. */
  #backoffMs(failures: number): number {
    const fullMs = Math.min(BACKOFF_LONGEST_MS, BACKOFF_FIRST_MS * 2 ** Math.min(failures - 1, 20));
    return fullMs - this.#options.random.integer(Math.ceil(fullMs / 4));
  }
}
