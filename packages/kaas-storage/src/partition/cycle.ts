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
  const appends: PendingAppend[] = [];
  const buffers: Buffer[] = [];
  let bytes = 0;
  let hasEarly = false;
  let next = queue.at(0);
  while (next !== undefined) {
    queue.shift();
    active.note(next, config, now);
    // Before it is written: of two writes under way the later may return first, and no reader sees it until then.
    core.tail.add(next.buffer, next.memory, next.baseOffset, next.nextOffset);
    appends.push(next);
    buffers.push(next.buffer);
    bytes += next.buffer.length;
    hasEarly ||= next.acks !== -1;
    next = queue.at(0);
    if (next === undefined || endsGroup(next, active, position + bytes, bytes, config, now)) break;
  }
  return {
    appends,
    buffers,
    bytes,
    active,
    handle,
    syncs,
    endOffset: (appends.at(-1) as PendingAppend).nextOffset,
    startedMs: core.environment.clock.monotonic(),
    position,
    endPosition: position + bytes,
    hasEarly,
    isWritten: false,
    isAnswered: !hasEarly,
    isDone: false,
  };
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
