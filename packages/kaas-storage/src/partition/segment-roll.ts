import { type ActiveSegment, createActiveSegment } from "./active-segment.js";
import type { LogCore } from "./log-core.js";
import type { PendingAppend } from "./pending-append.js";
import type { SyncedPart } from "./synced-part.js";

/** Who brings appends to the segments. */
export interface RollOwner {
  /** Counts an operation on the files until it has come back. */
  track<Result>(operation: Promise<Result>): Promise<Result>;
  /** A segment takes nothing more. All of it has been written; fsynced, if `isSynced`. */
  segmentClosed(active: ActiveSegment, isSynced: boolean): void;
  /** Something may be appended that could not be before. */
  resume(): void;
  failed(error: unknown): void;
}

/** The change from one segment to the next, and those who wait for one. */
export class SegmentRoll {
  readonly #core: LogCore;
  readonly #synced: SyncedPart;
  readonly #owner: RollOwner;
  #waiters: (() => void)[] = [];
  #isRunning = false;

  constructor(core: LogCore, synced: SyncedPart, owner: RollOwner) {
    this.#core = core;
    this.#synced = synced;
    this.#owner = owner;
  }

  /** Nothing may be appended meanwhile. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Whether the active segment has to be closed before what comes next, if anything does. */
  isDue(next: PendingAppend | undefined, nowMs: number): boolean {
    if (this.#waiters.length > 0) return true;
    const { active, config } = this.#core;
    return next !== undefined && (active === undefined || active.isFullFor(next, config, nowMs));
  }

  /** Wants the active segment closed though it is not full. Resolves once a roll that begins from now on has ended. */
  wanted(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  /** Nothing may be on its way to the active segment. */
  start(): void {
    void this.#run().then(() => this.#owner.resume());
  }

  tellWaiting(): void {
    const waiting = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiting) resolve();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      await this.#owner.track(this.#roll());
      this.tellWaiting();
    } catch (error) {
      this.#owner.failed(error);
    } finally {
      this.#isRunning = false;
    }
  }

  async #roll(): Promise<void> {
    const core = this.#core;
    const previous = core.active;
    const baseOffset = previous?.segment.nextOffset ?? core.highWatermark;
    const syncsGroups = core.config.flushMessages === 1;
    const active = await createActiveSegment(core, baseOffset, syncsGroups, () => this.#owner.resume());
    const isSynced = !this.#synced.isBehind;
    this.#synced.beginSegment();
    core.segments.push(active.segment);
    core.active = active;
    core.visibleBytes = 0;
    if (previous !== undefined) this.#owner.segmentClosed(previous, isSynced);
  }
}
