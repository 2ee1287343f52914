import { type Clock, ErrorCode, KaasError, type Log, type PartitionId, type Timer } from "@kaas/core";
import { CleaningStopped, IoBudget, Pace } from "../compaction/pace.js";
import type { LogPlaces, LogVolume } from "./log-places.js";

/** How long a partition that could not be moved stays where it is before that is tried again. */
const RETRY_DELAY_MS = 10_000;

/** What is asked of a log that may be moved. */
export interface MovableLog {
  readonly id: PartitionId;
  readonly volume: LogVolume;
  readonly sizeBytes: number;
  readonly health: ErrorCode;
  /** Whether it does not come back. */
  readonly isGone: boolean;
  moveTo(target: LogVolume, pace: Pace): Promise<void>;
  stopMoving(): void;
}

export interface PartitionMovesOptions extends Pick<LogPlaces, "volumeNamed"> {
  readonly clock: Clock;
  readonly log: Log;
  readonly wishOf: (id: PartitionId) => string | null | undefined;
  readonly moveBytesPerSecond: number;
}

/**
 * Moves logs to the log directories that somebody wants them in, one after the other: what serves is not to notice it.
 * A wish that is taken back, or becomes another one, stops the move under way.
 */
export class PartitionMoves {
  readonly #options: PartitionMovesOptions;
  readonly #budget: IoBudget;
  readonly #waiting = new Set<MovableLog>();
  readonly #retries = new Map<MovableLog, Timer>();
  #current: { readonly log: MovableLog; readonly target: LogVolume } | undefined;
  #isRunning = false;
  #isClosed = false;

  constructor(options: PartitionMovesOptions) {
    this.#options = options;
    this.#budget = new IoBudget(options.clock);
  }

  /** Looks at what is wanted of a log, which may have changed. */
  consider(log: MovableLog): void {
    const target = this.#targetOf(log);
    if (this.#current?.log === log && this.#current.target !== target) log.stopMoving();
    if (target === undefined) return;
    this.#waiting.add(log);
    void this.#run();
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#retries.values()) timer.cancel();
    this.#current?.log.stopMoving();
  }

  /** Where the log is to go; undefined where it stays. */
  #targetOf(log: MovableLog): LogVolume | undefined {
    const wish = this.#options.wishOf(log.id);
    if (wish === undefined || wish === log.volume.name) return undefined;
    try {
      return this.#options.volumeNamed(wish);
    } catch (error) {
      if (!(error instanceof KaasError)) throw error;
      this.#say(log, error, "a partition is to be moved to a log directory that this broker does not have");
      return undefined;
    }
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (const log of this.#waiting) {
      if (this.#isClosed) break;
      this.#waiting.delete(log);
      await this.#move(log);
    }
    this.#isRunning = false;
  }

  async #move(log: MovableLog): Promise<void> {
    const target = this.#targetOf(log);
    if (target === undefined || log.isGone) return;
    this.#current = { log, target };
    const from = log.volume;
    const { clock, log: lines, moveBytesPerSecond } = this.#options;
    const began = clock.monotonic();
    try {
      if (log.health !== ErrorCode.NONE) throw new CleaningStopped();
      await expectRoom(log, target);
      await log.moveTo(target, new Pace(clock, this.#budget, moveBytesPerSecond));
      const fields = { ...placeOf(log), from: from.path, to: log.volume.path, ms: clock.monotonic() - began };
      if (log.volume === target) lines.info(fields, "a partition has been moved to another log directory");
    } catch (error) {
      if (!(error instanceof CleaningStopped)) this.#say(log, error, "a partition could not be moved");
    } finally {
      this.#current = undefined;
    }
    if (this.#targetOf(log) !== undefined && !log.isGone) this.#retry(log);
  }

  #retry(log: MovableLog): void {
    if (this.#isClosed) return;
    this.#retries.get(log)?.cancel();
    const timer = this.#options.clock.schedule(RETRY_DELAY_MS, () => {
      this.#retries.delete(log);
      if (!log.isGone) this.consider(log);
    });
    this.#retries.set(log, timer);
  }

  #say(log: MovableLog, error: unknown, what: string): void {
    this.#options.log.warn({ ...placeOf(log), err: error }, what);
  }
}

async function expectRoom(log: MovableLog, { path, environment }: LogVolume): Promise<void> {
  const { usableBytes } = await environment.fileSystem.space(path);
  if (usableBytes < 0 || (usableBytes > log.sizeBytes && !environment.space.isLow)) return;
  const problem = `${path} has ${usableBytes} bytes free, the partition ${log.sizeBytes}`;
  throw new KaasError("KAAS_STORAGE_FAILED", problem);
}

function placeOf({ id }: MovableLog): { readonly topic: string; readonly partition: number } {
  return { topic: id.topic, partition: id.partition };
}
