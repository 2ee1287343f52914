import type { LogConfig } from "@kaas/core";
import type { FileHandle } from "../file-system/file-system.js";
import type { ActiveSegment } from "./active-segment.js";
import type { Fifo } from "./fifo.js";
import type { LogCore } from "./log-core.js";
import type { PendingAppend } from "./pending-append.js";

const GROUP_BYTES_MAX = 8 * 1024 * 1024;

/** A group of appends that become durable together. */
export interface Cycle {
  readonly appends: readonly PendingAppend[];
  readonly buffers: readonly Buffer[];
  readonly bytes: number;
  readonly active: ActiveSegment;
  /** One of the segment's descriptors, for this group alone while it is on its way. */
  readonly handle: FileHandle;
  /** Whether it ends with an fsync. It then has one of the slots for that. */
  readonly syncs: boolean;
  readonly endOffset: number;
  /** Monotonic. */
  readonly startedMs: number;
  /** Positions in the active segment. */
  readonly position: number;
  readonly endPosition: number;
  /** Whether somebody waits for no more than the write. */
  readonly hasEarly: boolean;
  /** Whether it is written, and the fuse has been read since. */
  isWritten: boolean;
  /** Whether those who need not wait for more than the write have been answered. */
  isAnswered: boolean;
  /** Whether it is as durable as asked for, and the fuse has been read since. */
  isDone: boolean;
}

/** Takes what is queued, as far as it fits, and notes it at the end of the active segment. The queue is not empty. */
export function takeGroup(
  core: LogCore,
  queue: Fifo<PendingAppend>,
  active: ActiveSegment,
  handle: FileHandle,
  now: number,
  syncs: boolean,
): Cycle {
  const { config } = core;
  const position = active.segment.sizeBytes;
  // Most groups of a log that does not fsync have one append: the lists are made for that, and grow if need be.
  let last = takeOne(core, queue, active, now);
  const appends = [last];
  const buffers = [last.buffer];
  let bytes = last.buffer.length;
  let hasEarly = last.acks !== -1;
  for (let next = queue.at(0); next !== undefined; next = queue.at(0)) {
    if (endsGroup(next, active, position + bytes, bytes, config, now)) break;
    last = takeOne(core, queue, active, now);
    appends.push(last);
    buffers.push(last.buffer);
    bytes += last.buffer.length;
    hasEarly ||= last.acks !== -1;
  }
  return {
    appends,
    buffers,
    bytes,
    active,
    handle,
    syncs,
    endOffset: last.nextOffset,
    startedMs: core.environment.clock.monotonic(),
    position,
    endPosition: position + bytes,
    hasEarly,
    isWritten: false,
    isAnswered: !hasEarly,
    isDone: false,
  };
}

function takeOne(core: LogCore, queue: Fifo<PendingAppend>, active: ActiveSegment, now: number): PendingAppend {
  const append = queue.shift() as PendingAppend;
  active.note(append, core.config, now);
  // Before it is written: of two writes under way the later may return first, and no reader sees it until then.
  core.tail.add(append.buffer, append.memory, append.baseOffset, append.nextOffset);
  return append;
}

function endsGroup(
  next: PendingAppend,
  active: ActiveSegment,
  position: number,
  bytes: number,
  config: LogConfig,
  now: number,
): boolean {
  if (bytes + next.buffer.length > GROUP_BYTES_MAX || active.isFullFor(next, config, now)) return true;
  return active.preallocation?.blocks(position + next.buffer.length) === true;
}

/** The group's buffers have been written, or never will be: the group needs their memory no longer. */
export function releaseBuffers(cycle: Cycle): void {
  for (const append of cycle.appends) append.memory?.release();
}

/** Answers those who wait for no more than the write. */
export function answerEarly(core: LogCore, cycle: Cycle): void {
  if (cycle.isAnswered) return;
  cycle.isAnswered = true;
  for (const append of cycle.appends) {
    if (append.acks !== -1) append.resolve(core.accepted(append.baseOffset, append.logAppendTimeMs));
  }
}

/** Answers everybody. */
export function answerDone(core: LogCore, cycle: Cycle): void {
  answerEarly(core, cycle);
  for (const append of cycle.appends) {
    if (append.acks === -1) append.resolve(core.accepted(append.baseOffset, append.logAppendTimeMs));
  }
}

export function messagesIn(cycle: Cycle): number {
  let count = 0;
  for (const append of cycle.appends) count += append.recordCount;
  return count;
}
