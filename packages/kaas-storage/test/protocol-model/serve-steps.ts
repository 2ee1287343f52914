/** A leader at work: append, sync, read the fuse in a read issued after, acknowledge; and the hand-over. */
import {
  ACKED,
  BLOWN,
  CONFIRMED_COUNT,
  countOf,
  DISPOSAL,
  DURABLE,
  EPOCH,
  ERRORS_LEFT,
  FENCED,
  FILE,
  FILE_DIRTY,
  FILE_EXISTS,
  FILE_WRITER_SHIFT,
  FUSE,
  LENGTHS,
  PROGRESS,
  RELEASED,
  recordOf,
  SHOWN,
  SYNCED,
  sumOfLengths,
  VISIBLE,
  WRITTEN,
  withCell,
  withCount,
} from "./state.js";
import type { Stepper } from "./stepper.js";

/** What a leader knows of itself when its turn comes. */
interface Leader {
  readonly process: number;
  readonly at: number;
  readonly epoch: number;
  readonly fileAt: number;
  /** Where its own records begin. */
  readonly start: number;
  readonly written: number;
  readonly synced: number;
  readonly confirmed: number;
  readonly acked: number;
}

export function servingSteps(stepper: Stepper, process: number): void {
  const at = stepper.process(process);
  const epoch = stepper.read(at + EPOCH);
  const progress = stepper.read(at + PROGRESS);
  const leader: Leader = {
    process,
    at,
    epoch,
    fileAt: stepper.epoch(epoch),
    start: sumOfLengths(stepper.read(at + LENGTHS), epoch),
    written: countOf(progress, WRITTEN),
    synced: countOf(progress, SYNCED),
    confirmed: countOf(progress, CONFIRMED_COUNT),
    acked: countOf(progress, ACKED),
  };
  append(stepper, leader);
  sync(stepper, leader);
  readFuse(stepper, leader);
  acknowledge(stepper, leader);
  failToWrite(stepper, leader);
  handOver(stepper, leader);
}

function append(stepper: Stepper, { process, at, fileAt, start, written }: Leader): void {
  const { cells, records } = stepper.configuration;
  if (written >= cells || start + written >= records + stepper.spareRecords) return;
  if ((stepper.read(fileAt + FILE) & FILE_EXISTS) === 0) return;
  const next = stepper.begin();
  next[at + PROGRESS] = withCount(next[at + PROGRESS] as number, WRITTEN, written + 1);
  // The second owner of an epoch that is claimed twice writes to the same file, past its own page cache.
  if ((next[fileAt + FILE] as number) >> FILE_WRITER_SHIFT === process + 1) {
    next[fileAt + FILE] = (next[fileAt + FILE] as number) | (1 << written);
  } else {
    next[fileAt + VISIBLE] = withCell(next[fileAt + VISIBLE] as number, written, process + 1);
  }
  stepper.emit("appends", process, start + written);
}

/** A sync covers what was written before it began, which may be less than what is written when it ends. */
function sync(stepper: Stepper, { process, at, fileAt, start, synced, written }: Leader): void {
  const { without } = stepper;
  for (let upTo = synced + 1; upTo <= written; upTo++) {
    const next = stepper.begin();
    const dirty = next[fileAt + FILE] as number;
    for (let cell = synced; cell < upTo && without !== "a record is synced"; cell++) {
      if ((dirty & (1 << cell)) === 0) continue; // what a failed sync has dropped is not sent by a later one
      next[fileAt + FILE] = (next[fileAt + FILE] as number) & ~(1 << cell);
      next[fileAt + VISIBLE] = withCell(next[fileAt + VISIBLE] as number, cell, process + 1);
      next[fileAt + DURABLE] = withCell(next[fileAt + DURABLE] as number, cell, process + 1);
    }
    const covered = without === "a sync covers only what was written before it" ? written : upTo;
    next[at + PROGRESS] = withCount(next[at + PROGRESS] as number, SYNCED, covered);
    stepper.emit("syncs", process, start + upTo);
  }
}

/** The read serves all that was durable when it was issued. */
function readFuse(stepper: Stepper, { process, at, start, synced, written, confirmed }: Leader): void {
  const { without } = stepper;
  const durable = without === "the fuse is read after the sync" ? written : synced;
  if (durable <= confirmed) return;
  const next = stepper.begin();
  const isLive =
    stepper.read(at + FUSE) !== BLOWN || without === "the fuse is read" || without === "the fuse is read uncached";
  if (isLive) next[at + PROGRESS] = withCount(next[at + PROGRESS] as number, CONFIRMED_COUNT, durable);
  else stepper.reset(at, FENCED);
  stepper.emit("reads its fuse", process, isLive ? start + durable : 0);
}

function acknowledge(stepper: Stepper, { process, at, epoch, start, synced, confirmed, acked }: Leader): void {
  if (acked >= confirmed || acked >= synced) return;
  const next = stepper.begin();
  let progress = withCount(next[at + PROGRESS] as number, ACKED, acked + 1);
  if (stepper.without === "who comes late waits for the next read of the fuse") {
    progress = withCount(progress, CONFIRMED_COUNT, synced);
  }
  next[at + PROGRESS] = progress;
  const offset = start + acked;
  const writer = stepper.configuration.kind === "slot" ? 0 : process + 1;
  const record = recordOf(epoch, writer);
  const shown = next[SHOWN + offset] as number;
  next[SHOWN + offset] = record;
  const isTwice = shown !== 0 && shown !== record;
  stepper.emit(
    "acknowledges",
    process,
    offset,
    isTwice ? `offset ${offset} is acknowledged, and was another record before` : undefined,
  );
}

/** What the failed sync held is gone from the page cache. The log is closed without another write. */
function failToWrite(stepper: Stepper, { process, at, fileAt, start, synced, acked, confirmed }: Leader): void {
  const { without } = stepper;
  const left = stepper.read(ERRORS_LEFT);
  if (left === 0) return;
  const next = stepper.begin();
  next[ERRORS_LEFT] = left - 1;
  const kept = (1 << synced) - 1;
  next[fileAt + FILE] = (next[fileAt + FILE] as number) & (~FILE_DIRTY | kept);
  if (without === "a failed file is dead" && acked === confirmed && confirmed === synced) {
    // Only the group that failed is refused.
    let progress = next[at + PROGRESS] as number;
    for (const count of [SYNCED, CONFIRMED_COUNT, ACKED]) progress = withCount(progress, count, synced + 1);
    if (countOf(progress, WRITTEN) > synced) next[at + PROGRESS] = progress;
  } else if (without !== "a failed sync is not tried again") {
    stepper.reset(at);
  }
  stepper.emit("fails to write", process, start + synced);
}

/** Drained: everything is synced, confirmed and acknowledged before the marker is made. */
function handOver(stepper: Stepper, { process, at, fileAt, start, written, synced, acked }: Leader): void {
  if (!stepper.configuration.releases || stepper.read(at + DISPOSAL) === 1 || stepper.read(at + DISPOSAL) === 2) return;
  const isEarly = stepper.without === "the marker comes after the last acknowledgement";
  if (acked !== written && !isEarly) return;
  if (stepper.read(fileAt + RELEASED) !== 0) return;
  const next = stepper.begin();
  next[fileAt + RELEASED] = 1 + synced;
  if (!isEarly) stepper.reset(at);
  stepper.emit("hands over", process, start + synced);
}
