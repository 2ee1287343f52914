import { ErrorCode } from "@kaas/core";
import type { FileHandle } from "../file-system/file-system.js";
import { type ActiveSegment, createActiveSegment } from "./active-segment.js";
import type { Cycle } from "./cycle.js";
import { Fifo } from "./fifo.js";
import { FlushSchedule } from "./flush-schedule.js";
import type { LogCore } from "./log-core.js";
import { OffsetWaiters } from "./offset-waiters.js";
import type { PendingAppend } from "./pending-append.js";
import type { SlotClaimant } from "./sync-slots.js";

/** Groups of appends on their way at once: one is written while the one before is fsynced. */
const CYCLES_MAX = 2;
const GROUP_BYTES_MAX = 8 * 1024 * 1024;
/** A synchronous write that takes longer shows a stalled disk; the event loop must not wait for it again. */
const WRITE_BUDGET_MS = 2;
const ASYNC_GROUPS = 64;

/** What the committer tells the rest of the log. */
export interface CommitterEvents {
  /** A segment takes nothing more. All of it has been written; fsynced, if `isSynced`. */
  segmentClosed(active: ActiveSegment, isSynced: boolean): void;
  /** So many bytes of the active segment have been fsynced. */
  synced(active: ActiveSegment, sizeBytes: number): void;
  /** A write or an fsync failed: nothing more may be written to these files. */
  failed(error: unknown): void;
}

/**
 * Brings the appends of one log to the disk in groups.
 *
 * ```
 * queue ─▶ writev ─▶ acks 0, 1 answered ─▶ fdatasync ─▶ high watermark ─▶ acks=all answered
 * ```
 *
 * A group is whatever has been queued when its turn comes. Groups are confirmed in order, and only for bytes that were
 * written before their fsync began. Where `flush.messages` is not 1 the fsync is left out of the cycle, and done in the
 * background as often as asked for.
 */
export class Committer implements SlotClaimant {
  readonly #core: LogCore;
  readonly #events: CommitterEvents;
  readonly #queue = new Fifo<PendingAppend>();
  readonly #cycles = new Fifo<Cycle>();
  readonly #waiters = new OffsetWaiters();
  readonly #flushes: FlushSchedule;
  #idleWaiters: (() => void)[] = [];
  #rollWaiters: (() => void)[] = [];
  #queuedBytes = 0;
  #cycleCount = 0;
  #asyncGroups = 0;
  #isScheduled = false;
  #isStopped = false;
  #isRolling = false;
  #slot: "none" | "waiting" | "held" = "none";
  /** Operations on the files that have not come back yet. */
  #pending = 0;
  #isDirectoryDirty = false;
  /** How much of the active segment some fsync has covered. */
  #syncedBytes = 0;

  constructor(core: LogCore, events: CommitterEvents) {
    this.#core = core;
    this.#events = events;
    this.#flushes = new FlushSchedule(core, () => this.flush().catch((error: unknown) => this.#fail(error)));
  }

  /** Bytes that wait to be written. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** How much of the active segment has been fsynced. */
  get syncedBytes(): number {
    return this.#syncedBytes;
  }

  /** Whether something was written that no fsync has covered. */
  get hasUnsynced(): boolean {
    return (this.#core.active?.segment.sizeBytes ?? 0) > this.#syncedBytes;
  }

  enqueue(append: PendingAppend): void {
    this.#queue.push(append);
    this.#queuedBytes += append.buffer.length;
    // All that this turn of the event loop appends makes one group.
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#pump();
    });
  }

  /** Resolves with `NONE` once everything below the offset is visible, or with what keeps it from becoming so. */
  async whenVisible(offset: number): Promise<ErrorCode> {
    if (offset <= this.#core.highWatermark) return ErrorCode.NONE;
    return this.#isStopped ? this.#core.health : this.#waiters.wait(offset);
  }

  /** Closes the active segment if it has data, as if it were full. */
  async roll(): Promise<void> {
    if ((this.#core.active?.segment.sizeBytes ?? 0) === 0 || this.#isStopped) return;
    const rolled = new Promise<void>((resolve) => {
      this.#rollWaiters.push(resolve);
    });
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
      this.#refuseAll(errorCode, message);
    }
    await this.drained();
  }

  /** Fsyncs what no cycle does: for logs that do not fsync every group. */
  async flush(): Promise<void> {
    const { active, environment } = this.#core;
    if (active === undefined || !this.hasUnsynced || this.#isStopped) return;
    const writtenBytes = this.#core.visibleBytes; // what is still on its way is for the next time
    await environment.syncSlots.with(async () => {
      if (!this.#isStopped) await this.#track(this.#sync(active.handle(0)));
    });
    if (!this.#isStopped) this.#noteSynced(active, writtenBytes);
  }

  slotGranted(): void {
    this.#slot = "held";
    this.#pump();
    if (this.#slot === "held") {
      this.#slot = "none";
      this.#core.environment.syncSlots.release();
    }
  }

  #pump(): void {
    const core = this.#core;
    while (!this.#isStopped && !this.#isRolling && this.#cycles.length < CYCLES_MAX) {
      const next = this.#queue.at(0);
      const { active } = core;
      const now = core.environment.clock.now();
      if (this.#mustRoll(active, next, now)) {
        if (this.#cycles.length === 0) this.#startRoll(active);
        break;
      }
      if (next === undefined || active === undefined) break;
      if (active.preallocation?.blocks(active.segment.sizeBytes + next.buffer.length) === true) break;
      const syncs = core.config.flushMessages === 1;
      if (syncs && !this.#takeSlot()) break;
      this.#startCycle(active, now, syncs);
    }
    this.#tellIfIdle();
  }

  #mustRoll(active: ActiveSegment | undefined, next: PendingAppend | undefined, now: number): boolean {
    if (this.#rollWaiters.length > 0) return true;
    return next !== undefined && (active === undefined || active.isFullFor(next, this.#core.config, now));
  }

  #startCycle(active: ActiveSegment, now: number, syncs: boolean): void {
    const { config } = this.#core;
    const position = active.segment.sizeBytes;
    const appends: PendingAppend[] = [];
    const buffers: Buffer[] = [];
    let bytes = 0;
    let next = this.#queue.at(0);
    while (next !== undefined) {
      this.#queue.shift();
      active.note(next, config, now);
      // Before it is written: of two writes under way the later may return first, and no reader sees it until then.
      this.#core.tail.add(next.buffer, next.baseOffset, next.nextOffset);
      appends.push(next);
      buffers.push(next.buffer);
      bytes += next.buffer.length;
      next = this.#queue.at(0);
      if (next === undefined || bytes + next.buffer.length > GROUP_BYTES_MAX) break;
      if (active.isFullFor(next, config, now)) break;
      if (active.preallocation?.blocks(position + bytes + next.buffer.length) === true) break;
    }
    this.#queuedBytes -= bytes;
    const endOffset = (appends.at(-1) as PendingAppend).nextOffset;
    const handle = active.handle(this.#cycleCount++);
    const cycle: Cycle = {
      appends,
      active,
      handle,
      syncs,
      endOffset,
      endPosition: position + bytes,
      isWritten: false,
      isAnswered: false,
      isDone: false,
    };
    this.#cycles.push(cycle);
    this.#write(cycle, buffers, position);
  }

  #write(cycle: Cycle, buffers: readonly Buffer[], position: number): void {
    if (this.#asyncGroups > 0) {
      this.#asyncGroups--;
      this.#track(cycle.handle.writev(buffers, position)).then(
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
      cycle.handle.writevSync(buffers, position);
    } catch (error) {
      this.#failedCycle(cycle, error);
      return;
    }
    if (clock.monotonic() - before > WRITE_BUDGET_MS) this.#asyncGroups = ASYNC_GROUPS;
    this.#written(cycle);
  }

  #written(cycle: Cycle): void {
    const core = this.#core;
    if (this.#isStopped) {
      if (cycle.syncs) core.environment.syncSlots.release();
      return;
    }
    cycle.isWritten = true;
    this.#answerWritten();
    if (cycle.syncs) {
      this.#syncCycle(cycle);
    } else {
      this.#done(cycle);
      this.#flushes.note(messagesIn(cycle));
    }
    // From the end of all that is on its way, not only of what has arrived: zeros must not meet data in the file.
    cycle.active.preallocation?.advance(cycle.active.segment.sizeBytes);
  }

  /** Answers acks 0 and 1 in order: after a kill, nothing that was answered may lie behind a hole. */
  #answerWritten(): void {
    const core = this.#core;
    for (let at = 0; this.#cycles.at(at)?.isWritten === true; at++) {
      const cycle = this.#cycles.at(at) as Cycle;
      if (cycle.isAnswered) continue;
      cycle.isAnswered = true;
      for (const append of cycle.appends) {
        if (append.acks !== -1) append.resolve(core.accepted(append.baseOffset, append.logAppendTimeMs));
      }
    }
  }

  #syncCycle(cycle: Cycle): void {
    const { syncSlots } = this.#core.environment;
    this.#track(this.#sync(cycle.handle)).then(
      () => {
        if (!this.#isStopped) {
          this.#done(cycle);
          // Its fsync covers what lies before it only as far as that had been written, which confirmed groups have.
          this.#noteSynced(cycle.active, Math.min(cycle.endPosition, this.#core.visibleBytes));
        }
        syncSlots.release();
        this.#pump();
      },
      (error: unknown) => this.#failedCycle(cycle, error),
    );
  }

  /** Makes what was written durable, and the name of a new file with it. */
  async #sync(handle: FileHandle): Promise<void> {
    if (!this.#isDirectoryDirty) return handle.dataSync();
    this.#isDirectoryDirty = false;
    const { fileSystem } = this.#core.environment;
    await Promise.all([handle.dataSync(), fileSystem.syncDirectory(this.#core.directory)]);
  }

  #noteSynced(active: ActiveSegment, sizeBytes: number): void {
    if (active !== this.#core.active || sizeBytes <= this.#syncedBytes) return;
    this.#syncedBytes = sizeBytes;
    this.#events.synced(active, sizeBytes);
  }

  /** Confirms the groups at the head of the line that are done. */
  #done(cycle: Cycle): void {
    cycle.isDone = true;
    const core = this.#core;
    let confirmed = false;
    for (let first = this.#cycles.at(0); first?.isDone === true; first = this.#cycles.at(0)) {
      this.#cycles.shift();
      core.highWatermark = first.endOffset;
      core.visibleBytes = first.endPosition;
      confirmed = true;
      for (const append of first.appends) {
        if (append.acks === -1) append.resolve(core.accepted(append.baseOffset, append.logAppendTimeMs));
      }
    }
    if (!confirmed) return;
    this.#waiters.reached(core.highWatermark);
    core.advanced();
  }

  #startRoll(previous: ActiveSegment | undefined): void {
    this.#isRolling = true;
    this.#track(this.#roll(previous)).then(
      () => {
        this.#isRolling = false;
        this.#tellRolled();
        this.#pump();
      },
      (error: unknown) => {
        this.#isRolling = false;
        this.#fail(error);
        this.#tellIfIdle();
      },
    );
  }

  async #roll(previous: ActiveSegment | undefined): Promise<void> {
    const core = this.#core;
    const baseOffset = previous?.segment.nextOffset ?? core.highWatermark;
    const syncsGroups = core.config.flushMessages === 1;
    const active = await createActiveSegment(core, baseOffset, syncsGroups, () => this.#pump());
    const isSynced = !this.hasUnsynced;
    this.#syncedBytes = 0;
    this.#isDirectoryDirty = true;
    core.segments.push(active.segment);
    core.active = active;
    core.visibleBytes = 0;
    if (previous !== undefined) this.#events.segmentClosed(previous, isSynced);
  }

  #tellRolled(): void {
    const waiting = this.#rollWaiters;
    this.#rollWaiters = [];
    for (const resolve of waiting) resolve();
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

  #refuseAll(errorCode: ErrorCode, message: string | null): void {
    const result = this.#core.refusal(errorCode, message);
    for (let cycle = this.#cycles.shift(); cycle !== undefined; cycle = this.#cycles.shift()) {
      for (const append of cycle.appends) append.resolve(result);
    }
    for (let append = this.#queue.shift(); append !== undefined; append = this.#queue.shift()) append.resolve(result);
    this.#queuedBytes = 0;
    this.#waiters.refuse(errorCode);
    this.#tellRolled();
  }

  /** Counts an operation on the files until it has come back. */
  async #track<Result>(operation: Promise<Result>): Promise<Result> {
    this.#pending++;
    try {
      return await operation;
    } finally {
      this.#pending--;
      this.#tellIfIdle();
    }
  }

  #isIdle(): boolean {
    return this.#queue.length === 0 && this.#cycles.length === 0 && this.#pending === 0 && !this.#isRolling;
  }

  #tellIfIdle(): void {
    if (this.#idleWaiters.length === 0 || !this.#isIdle()) return;
    const waiting = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const resolve of waiting) resolve();
  }
}

function messagesIn(cycle: Cycle): number {
  let count = 0;
  for (const append of cycle.appends) count += append.recordCount;
  return count;
}
