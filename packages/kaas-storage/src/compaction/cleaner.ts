import type { Clock, Log, PartitionId } from "@kaas/core";
import type { Cleanable } from "./cleanable.js";
import type { CompactionOptions } from "./compaction-options.js";
import type { LogCompaction, SharedCompaction } from "./log-compaction.js";
import { IoBudget } from "./pace.js";

/** How long a log is let be after its cleaning failed; twice as long each time. */
const SET_ASIDE_MS_MIN = 60_000;
const SET_ASIDE_MS_MAX = 3_600_000;

/** A log as the cleaner sees it. */
export interface CompactableLog {
  readonly id: PartitionId;
  /** Of the epoch at which the log is open. */
  readonly compaction: LogCompaction;
  /** Whether its files are about to go, or have failed: what fails then is no news. */
  readonly isEnding: boolean;
}

export interface CleanerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly compaction: () => CompactionOptions;
  readonly logs: () => Iterable<CompactableLog>;
}

interface Candidate {
  readonly log: CompactableLog;
  readonly compaction: LogCompaction;
  readonly cleanable: Cleanable;
}

interface SetAside {
  readonly untilMs: number;
  /** 0 where nothing had failed. */
  readonly failureDelayMs: number;
}

/** Compacts the logs of a volume, the dirtiest first, as many at a time as there are to be. */
export class Cleaner {
  readonly #options: CleanerOptions;
  readonly #budget: IoBudget;
  readonly #setAside = new WeakMap<CompactableLog, SetAside>();
  readonly #busy = new Set<CompactableLog>();
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: CleanerOptions) {
    this.#options = options;
    this.#budget = new IoBudget(options.clock);
  }

  /** Looks at all logs after this call, and compacts until nothing is worth it any more. */
  run(): Promise<void> {
    this.#next ??= this.#afterCurrent();
    return this.#next;
  }

  /** Begins nothing more. What is under way ends with its log. */
  close(): void {
    this.#isClosed = true;
  }

  /** Whoever asks while a run is under way waits for the next. */
  async #afterCurrent(): Promise<void> {
    await this.#running;
    this.#running = this.#next;
    this.#next = undefined;
    await this.#runAll();
    this.#running = undefined;
  }

  async #runAll(): Promise<void> {
    const { threads } = this.#options.compaction();
    await Promise.all(Array.from({ length: threads }, () => this.#work()));
  }

  async #work(): Promise<void> {
    for (;;) {
      const next = this.#isClosed ? undefined : await this.#dirtiest();
      if (next === undefined) return;
      if (this.#isClosed || this.#busy.has(next.log)) continue;
      this.#busy.add(next.log);
      await this.#clean(next);
      this.#busy.delete(next.log);
    }
  }

  async #dirtiest(): Promise<Candidate | undefined> {
    let dirtiest: Candidate | undefined;
    for (const log of [...this.#options.logs()]) {
      if (log.isEnding || this.#busy.has(log) || this.#isSetAside(log)) continue;
      const { compaction } = log;
      const cleanable = await this.#candidateOf(log, compaction);
      if (cleanable === undefined || this.#busy.has(log)) continue;
      if (dirtiest !== undefined && dirtiest.cleanable.dirtyRatio >= cleanable.dirtyRatio) continue;
      dirtiest = { log, compaction, cleanable };
    }
    return dirtiest;
  }

  async #candidateOf(log: CompactableLog, compaction: LogCompaction): Promise<Cleanable | undefined> {
    try {
      return await compaction.candidate();
    } catch (error) {
      this.#failed(log, error);
      return undefined;
    }
  }

  async #clean({ log, compaction, cleanable }: Candidate): Promise<void> {
    const shared: SharedCompaction = { options: this.#options.compaction(), budget: this.#budget };
    try {
      const isDone = await compaction.clean(cleanable, shared);
      if (isDone) this.#setAside.delete(log);
      else this.#letBe(log, shared.options.backoffMs, 0);
    } catch (error) {
      this.#failed(log, error);
    }
  }

  #failed(log: CompactableLog, error: unknown): void {
    const before = this.#setAside.get(log)?.failureDelayMs ?? 0;
    const delayMs = Math.min(SET_ASIDE_MS_MAX, Math.max(SET_ASIDE_MS_MIN, before * 2));
    this.#letBe(log, delayMs, delayMs);
    if (log.isEnding) return;
    const { topic, partition } = log.id;
    const fields = { topic, partition, retryInMs: delayMs, err: error };
    this.#options.log.error(fields, "a log could not be compacted; it is set aside, and the others go on");
  }

  #letBe(log: CompactableLog, delayMs: number, failureDelayMs: number): void {
    this.#setAside.set(log, { untilMs: this.#options.clock.monotonic() + delayMs, failureDelayMs });
  }

  #isSetAside(log: CompactableLog): boolean {
    const setAside = this.#setAside.get(log);
    return setAside !== undefined && this.#options.clock.monotonic() < setAside.untilMs;
  }
}
