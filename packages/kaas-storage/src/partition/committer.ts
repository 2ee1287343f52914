import { ErrorCode } from "@kaas/core";
import { SyncBudget } from "../file-system/sync-budget.js";
import type { ActiveSegment } from "./active-segment.js";
import { AppendQueue } from "./append-queue.js";
import { answerDone, answerEarly, type Cycle, messagesIn, takeGroup } from "./cycle.js";
import { Fifo } from "./fifo.js";
import { FlushSchedule } from "./flush-schedule.js";
import type { LogCore } from "./log-core.js";
import { OffsetWaiters } from "./offset-waiters.js";
import type { PendingAppend } from "./pending-append.js";
import { SegmentRoll } from "./segment-roll.js";
import type { SlotClaimant } from "./sync-slots.js";
import { SyncedPart } from "./synced-part.js";

/** Groups of appends on their way at once: one is written while the one before is fsynced. */
const CYCLES_MAX = 2;
/** What is chained to it runs as the next microtask; `queueMicrotask` makes an object of its own for that. */
const SOON = Promise.resolve();

/** What the committer tells the rest of the log. */
export interface CommitterEvents {
  /** A segment takes nothing more. All of it has been written; fsynced, if `isSynced`. */
  segmentClosed(active: ActiveSegment, isSynced: boolean): void;
  /** So many bytes of the active segment have been fsynced. */
  synced(active: ActiveSegment, sizeBytes: number): void;
  /** A write or an fsync failed, or the fuse is blown: nothing more may be written to these files. */
  failed(error: unknown): void;
}

/**
 * Brings the appends of one log to the disk in groups.
 *
 * ```
 * queue ─▶ writev ─▶ fdatasync ─▶ fuse ─▶ high watermark ─▶ acks=all answered
 *                └─▶ fuse ─▶ acks 0, 1 answered
 * ```
 *
 * A group is whatever has been queued when its turn comes. Groups are confirmed in order, and only for bytes that were
 * written before their fsync began. Where `flush.messages` is not 1 the fsync is left out of the cycle, and done in the
 * background as often as asked for. Between what makes a group durable and what tells anybody of it lies a read of the
 * fuse, always: it is what makes sure that the next leader finds the group.
 */
export class Committer implements SlotClaimant {
  readonly #core: LogCore;
  readonly #events: CommitterEvents;
  readonly queue: AppendQueue;
  readonly #cycles = new Fifo<Cycle>();
  readonly #waiters = new OffsetWaiters();
  readonly #flushes: FlushSchedule;
  readonly #synced: SyncedPart;
  readonly #rolling: SegmentRoll;
  #idleWaiters: (() => void)[] = [];
  #cycleCount = 0;
  #progress = 0;
  readonly #budget = new SyncBudget();
  #isScheduled = false;
  #isStopped = false;
  #isStalled = false;
  #slot: "none" | "waiting" | "held" = "none";
  /** Operations on the files that have not come back yet. */
  #pending = 0;

  constructor(core: LogCore, events: CommitterEvents) {
    this.#core = core;
    this.#events = events;
    this.queue = new AppendQueue(core.environment.queueMemory);
    const failed = (error: unknown): void => this.#fail(error);
    this.#flushes = new FlushSchedule(core, () => this.flush().catch(failed));
    this.#synced = new SyncedPart(core, (active, sizeBytes) => events.synced(active, sizeBytes));
    this.#rolling = new SegmentRoll(core, this.#synced, {
      track: (operation) => this.#track(operation),
      segmentClosed: (active, isSynced) => events.segmentClosed(active, isSynced),
      resume: () => this.#pump(),
      failed,
    });
  }

  /** How much of the active segment has been fsynced. */
  get syncedBytes(): number {
    return this.#synced.sizeBytes;
  }

  /** Whether something was written that no fsync has covered. */
  get hasUnsynced(): boolean {
    return this.#synced.isBehind;
  }

  /** Whether somebody waits for the disk. */
  get isBusy(): boolean {
    return !this.#isStopped && !this.#isIdle();
  }

  /** Moves whenever the disk has answered. */
  get progress(): number {
    return this.#progress;
  }

  /** Whether the disk has not answered for so long that nobody is let wait for it. */
  get isStalled(): boolean {
    return this.#isStalled;
  }

  /**
   * Answers those who wait that it takes too long. What they appended has its place and goes on if the disk does; a
   * retry of an idempotent producer is recognised then.
   */
  stalled(): void {
    this.#isStalled = true;
    this.#refuseWaiting(ErrorCode.REQUEST_TIMED_OUT, "the volume does not answer");
  }

  enqueue(append: PendingAppend): void {
    this.queue.push(append);
    // All that this turn of the event loop appends makes one group.
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    void SOON.then(this.#pumpSoon);
  }

  /** Resolves with `NONE` once everything below the offset is visible, or with what keeps it from becoming so. */
  async whenVisible(offset: number): Promise<ErrorCode> {
    if (offset <= this.#core.highWatermark) return ErrorCode.NONE;
    if (this.#isStopped) return this.#core.health;
    return this.#isStalled ? ErrorCode.REQUEST_TIMED_OUT : this.#waiters.wait(offset);
  }

  /** Closes the active segment if it has data, as if it were full. */
  async roll(): Promise<void> {
    if ((this.#core.active?.segment.sizeBytes ?? 0) === 0 || this.#isStopped) return;
    const rolled = this.#rolling.wanted();
    this.#pump();
    await rolled;
  }

  /** Resolves when nothing is queued or on its way. */
  async drained(): Promise<void> {
    if (this.#isIdle()) return;
    await new Promise<void>((resolve) => {
      this.#idleWaiters.push(resolve);
    });
  }

  /** Answers everything that waits with an error and writes nothing more. Resolves when the files are at rest. */
  async stop(errorCode: ErrorCode, message: string | null): Promise<void> {
    if (!this.#isStopped) {
      this.#isStopped = true;
      this.#flushes.stop();
      this.#refuseWaiting(errorCode, message);
      this.#cycles.clear();
      this.queue.drop();
      this.#rolling.tellWaiting();
      this.#tellIfIdle(); // a hand-over may wait for what has just been dropped
    }
    await this.drained();
  }

  /** Fsyncs what no cycle does: for logs that do not fsync every group. */
  async flush(): Promise<void> {
    const { active, environment } = this.#core;
    if (active === undefined || !this.hasUnsynced || this.#isStopped) return;
    const writtenBytes = this.#core.visibleBytes; // what is still on its way is for the next time
    await environment.syncSlots.with(async () => {
      if (!this.#isStopped) await this.#track(this.#synced.sync(active.handle(0)));
    });
    if (!this.#isStopped) this.#synced.note(active, writtenBytes);
  }

  slotGranted(): void {
    this.#slot = "held";
    this.#pump();
    if (this.#slot === "held") {
      this.#slot = "none";
      this.#core.environment.syncSlots.release();
    }
  }

  readonly #pumpSoon = (): void => {
    this.#isScheduled = false;
    this.#pump();
  };

  #pump(): void {
    const core = this.#core;
    while (!this.#isStopped && !this.#rolling.isRunning && this.#cycles.length < CYCLES_MAX) {
      const next = this.queue.waiting.at(0);
      const { active } = core;
      const now = core.environment.clock.now();
      if (this.#rolling.isDue(next, now)) {
        if (this.#cycles.length === 0) this.#rolling.start();
        break;
      }
      if (next === undefined || active === undefined) break;
      if (active.preallocation?.blocks(active.segment.sizeBytes + next.buffer.length) === true) break;
      const syncs = core.config.flushMessages === 1;
      if (syncs && !this.#takeSlot()) break;
      const cycle = takeGroup(core, this.queue.waiting, active, active.handle(this.#cycleCount++), now, syncs);
      this.#cycles.push(cycle);
      this.#write(cycle);
    }
    this.#tellIfIdle();
  }

  #write(cycle: Cycle): void {
    // A disk whose fsyncs do not come back may let the next write hang, and with it everything; a file server any write.
    const { syncSlots, isShared } = this.#core.environment;
    if (isShared || syncSlots.isSuspect) this.#budget.exhaust();
    if (this.#budget.takeAsync()) {
      const writing = cycle.handle.writev(cycle.buffers, cycle.position).finally(() => this.queue.written(cycle));
      this.#track(writing).then(
        () => {
          this.#written(cycle);
          this.#pump();
        },
        (error: unknown) => this.#failedCycle(cycle, error),
      );
      return;
    }
    const { clock } = this.#core.environment;
    const before = clock.monotonic();
    try {
      cycle.handle.writevSync(cycle.buffers, cycle.position);
    } catch (error) {
      this.#failedCycle(cycle, error);
      return;
    } finally {
      this.queue.written(cycle);
    }
    this.#budget.took(clock.monotonic() - before);
    this.#written(cycle);
  }

  #written(cycle: Cycle): void {
    if (this.#isStopped) {
      if (cycle.syncs) this.#core.environment.syncSlots.release();
      return;
    }
    if (cycle.syncs) {
      if (cycle.hasEarly) this.#afterFuse(() => this.#answerWritten(cycle));
      this.#syncCycle(cycle);
    } else {
      this.#afterFuse(() => {
        this.#answerWritten(cycle);
        this.#done(cycle);
        this.#flushes.note(messagesIn(cycle));
        this.#pump();
      });
    }
    // From the end of all that is on its way, not only of what has arrived: zeros must not meet data in the file.
    cycle.active.preallocation?.advance(cycle.active.segment.sizeBytes);
  }

  /** Acts once the fuse, read after now, says that we may. */
  #afterFuse(act: () => void): void {
    this.#core.environment.fuse.confirm().then(
      () => {
        if (!this.#isStopped) act();
      },
      (error: unknown) => this.#fail(error),
    );
  }

  /** Answers acks 0 and 1 in order: after a kill, nothing that was answered may lie behind a hole. */
  #answerWritten(written: Cycle): void {
    written.isWritten = true;
    for (let at = 0; this.#cycles.at(at)?.isWritten === true; at++) {
      answerEarly(this.#core, this.#cycles.at(at) as Cycle);
    }
  }

  #syncCycle(cycle: Cycle): void {
    const { syncSlots } = this.#core.environment;
    this.#track(this.#synced.sync(cycle.handle)).then(
      () => {
        syncSlots.release();
        if (this.#isStopped) return;
        this.#afterFuse(() => {
          this.#done(cycle);
          // Its fsync covers what lies before it only as far as that had been written, which confirmed groups have.
          this.#synced.note(cycle.active, Math.min(cycle.endPosition, this.#core.visibleBytes));
          this.#pump();
        });
      },
      (error: unknown) => this.#failedCycle(cycle, error),
    );
  }

  /** Confirms the groups at the head of the line that are done. */
  #done(cycle: Cycle): void {
    cycle.isWritten = true;
    cycle.isDone = true;
    const core = this.#core;
    let confirmed = false;
    for (let first = this.#cycles.at(0); first?.isDone === true; first = this.#cycles.at(0)) {
      this.#cycles.shift();
      core.highWatermark = first.endOffset;
      core.visibleBytes = first.endPosition;
      confirmed = true;
      core.environment.commitTimes.record(core.environment.clock.monotonic() - first.startedMs);
      answerDone(core, first);
    }
    if (!confirmed) return;
    this.#moved();
    this.#waiters.reached(core.highWatermark);
    core.advanced();
  }

  /** Takes leave for an fsync, or asks for it. The cycle that is started next owns it. */
  #takeSlot(): boolean {
    if (this.#slot === "none" && this.#core.environment.syncSlots.acquire(this)) return true;
    if (this.#slot !== "held") {
      this.#slot = "waiting";
      return false;
    }
    this.#slot = "none";
    return true;
  }

  #failedCycle(cycle: Cycle, error: unknown): void {
    if (cycle.syncs) this.#core.environment.syncSlots.release();
    this.#fail(error);
  }

  #fail(error: unknown): void {
    if (!this.#isStopped) this.#events.failed(error);
  }

  /** Answers all who wait; a second answer changes nothing. */
  #refuseWaiting(errorCode: ErrorCode, message: string | null): void {
    const result = this.#core.refusal(errorCode, message);
    for (let at = 0; at < this.#cycles.length; at++) {
      for (const append of (this.#cycles.at(at) as Cycle).appends) append.resolve(result);
    }
    const { waiting } = this.queue;
    for (let at = 0; at < waiting.length; at++) (waiting.at(at) as PendingAppend).resolve(result);
    this.#waiters.refuse(errorCode);
  }

  /** Counts an operation on the files until it has come back. */
  async #track<Result>(operation: Promise<Result>): Promise<Result> {
    this.#pending++;
    try {
      return await operation;
    } finally {
      this.#pending--;
      this.#moved();
      this.#tellIfIdle();
    }
  }

  #moved(): void {
    this.#progress++;
    this.#isStalled = false;
  }

  #isIdle(): boolean {
    return (
      this.queue.waiting.length === 0 && this.#cycles.length === 0 && this.#pending === 0 && !this.#rolling.isRunning
    );
  }

  #tellIfIdle(): void {
    if (this.#idleWaiters.length === 0 || !this.#isIdle()) return;
    const waiting = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const resolve of waiting) resolve();
  }
}
