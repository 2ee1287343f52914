import { ErrorCode } from "@kaas/core";
import type { LogCore } from "../partition/log-core.js";
import type { LogMaintenance } from "../partition/log-maintenance.js";
import type { LogTasks } from "../partition/log-tasks.js";
import { type Cleanable, findCleanable, isWorthIt } from "./cleanable.js";
import type { CompactionOptions } from "./compaction-options.js";
import { LogCleaning } from "./log-cleaning.js";
import { CleaningStopped, type IoBudget, Pace } from "./pace.js";

/** What all cleanings of a volume share. */
export interface SharedCompaction {
  readonly options: CompactionOptions;
  readonly budget: IoBudget;
}

/** The compaction of one log at one epoch: at most one cleaning at a time, which ends when the log does. */
export class LogCompaction {
  readonly #core: LogCore;
  readonly #tasks: LogTasks;
  readonly #maintenance: LogMaintenance;
  #pace: Pace | undefined;
  #running: Promise<unknown> | undefined;
  #isClosed = false;

  constructor(core: LogCore, tasks: LogTasks, maintenance: LogMaintenance) {
    this.#core = core;
    this.#tasks = tasks;
    this.#maintenance = maintenance;
  }

  /** What there is to compact, if that is worth it. */
  async candidate(): Promise<Cleanable | undefined> {
    if (!this.#isAllowed || this.#running !== undefined) return undefined;
    const core = this.#core;
    const maintenance = this.#maintenance;
    const now = core.environment.clock.now();
    // Behind the segments that are being closed.
    const cleanable = await this.#tasks.run(() =>
      findCleanable(core, (segment) => maintenance.isFinished(segment), now),
    );
    return cleanable !== undefined && isWorthIt(cleanable, core) ? cleanable : undefined;
  }

  /**
   * Cleans a candidate; whether it came to the end. It stops, and changes nothing more, when the log closes, is no
   * longer to be compacted, or loses segments to retention meanwhile.
   */
  async clean(cleanable: Cleanable, { options, budget }: SharedCompaction): Promise<boolean> {
    if (!this.#isAllowed || this.#running !== undefined) return false;
    const pace = new Pace(this.#core.environment.clock, budget, options.ioBytesPerSecond);
    const cleaning = new LogCleaning(this.#core, this.#maintenance, options, pace);
    this.#pace = pace;
    const running = cleaning.run(cleanable);
    this.#running = running.catch(() => undefined);
    try {
      await running;
      return true;
    } catch (error) {
      if (!(error instanceof CleaningStopped)) throw error;
      return false;
    } finally {
      this.#running = undefined;
      this.#pace = undefined;
    }
  }

  /** The topic's configuration has changed. */
  configured(): void {
    if (!this.#core.config.cleanupPolicy.compact) this.#pace?.stop();
  }

  /** Ends the cleaning under way; resolves when its files are closed. */
  async stop(): Promise<void> {
    this.#pace?.stop();
    await this.#running;
  }

  /** The same for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.stop();
  }

  get #isAllowed(): boolean {
    const { config, health, environment } = this.#core;
    // Cleaning takes space before it gives any back, and what is left is for offsets and markers.
    return !this.#isClosed && health === ErrorCode.NONE && config.cleanupPolicy.compact && !environment.space.isLow;
  }
}
