/** A leader that moves its log to the other directory: copies, hands over, copies the rest, and claims an epoch to depart. */
import { highestName } from "./claim-steps.js";
import { beginDeparture } from "./departure-steps.js";
import { recordAt } from "./log-view.js";
import {
  ACKED,
  ALL_COPIED,
  AT,
  CLAIM,
  CLAIMED,
  COPIED,
  COPIED_DURABLE,
  COPIED_MAX,
  COPIED_RECORDS,
  COPY,
  countOf,
  EPOCH,
  HANDED_OVER,
  HELD,
  LENGTHS,
  MOVED,
  MOVES_LEFT,
  PROGRESS,
  RELEASED,
  SEAL,
  SEAL_SINCE,
  SYNCED,
  sumOfLengths,
  WRITTEN,
  withLength,
} from "./state.js";
import { newestSeal, type Stepper } from "./stepper.js";

export function movingSteps(stepper: Stepper, process: number): void {
  const at = stepper.process(process);
  if (stepper.read(at + HELD) === 0) {
    beginCopy(stepper, process, at);
  } else {
    discard(stepper, process, at);
    handOverToMove(stepper, process, at);
  }
  sweepOther(stepper, process, at);
}

/** Where its copies are: their names carry its epoch. */
function copiesOf(stepper: Stepper, epoch: number): number {
  const name = stepper.without === "copies carry the epoch of who made them" ? 1 : epoch;
  return stepper.epochIn(stepper.directory ^ 1, name);
}

/** What it has acknowledged so far, and what it leads on from; more comes meanwhile. */
function beginCopy(stepper: Stepper, process: number, at: number): void {
  if (stepper.read(MOVES_LEFT) === 0) return;
  const epoch = stepper.read(at + EPOCH);
  const next = stepper.begin();
  next[MOVES_LEFT] = (next[MOVES_LEFT] as number) - 1;
  next[at + HELD] = epoch;
  const acked = countOf(next[at + PROGRESS] as number, ACKED);
  copy(stepper, at, sumOfLengths(next[at + LENGTHS] as number, epoch) + acked);
  stepper.emit("copies while it serves", process);
}

function copy(stepper: Stepper, at: number, count: number): void {
  const { next, without } = stepper;
  const epoch = next[at + HELD] as number;
  const copies = copiesOf(stepper, epoch);
  // Its own records are all behind those that it leads on from.
  const lengths = withLength(next[at + LENGTHS] as number, epoch, 3);
  for (let offset = 0; offset < Math.min(count, COPIED_MAX); offset++) {
    next[copies + COPIED_RECORDS + offset] = recordAt(stepper, next, lengths, 0, offset, next[at + COPY]);
  }
  next[copies + COPIED] = 1 + count;
  if (without !== "copies are synced") next[copies + COPIED_DURABLE] = count;
}

/** A move that is not wanted any more, or that fails: by their names, its copies go. */
function discard(stepper: Stepper, process: number, at: number): void {
  const next = stepper.begin();
  const copies = copiesOf(stepper, next[at + HELD] as number);
  next.fill(0, copies + COPIED, copies + COPIED_RECORDS + COPIED_MAX);
  next[at + HELD] = 0;
  stepper.emit("discards its copy", process);
}

/** Drained, as any hand-over. From here on the log takes nothing more. */
function handOverToMove(stepper: Stepper, process: number, at: number): void {
  const epoch = stepper.read(at + EPOCH);
  const epochAt = stepper.epoch(epoch);
  const progress = stepper.read(at + PROGRESS);
  const synced = countOf(progress, SYNCED);
  if (countOf(progress, ACKED) !== countOf(progress, WRITTEN) || stepper.read(epochAt + RELEASED) !== 0) return;
  const next = stepper.begin();
  next[epochAt + RELEASED] = 1 + synced;
  const lengths = next[at + LENGTHS] as number;
  const copied = (next[copiesOf(stepper, epoch) + COPIED] as number) - 1;
  const isAsCopied = stepper.without === "what was handed over goes along, not what was there before";
  next[at + LENGTHS] = withLength(lengths, epoch, isAsCopied ? copied - sumOfLengths(lengths, epoch) : synced);
  next[at + PROGRESS] = 0;
  next[at + AT] = HANDED_OVER;
  stepper.emit("hands over to move", process);
}

export function copyRestSteps(stepper: Stepper, process: number): void {
  const at = stepper.process(process);
  const next = stepper.begin();
  const held = next[at + HELD] as number;
  // Whoever swept them has taken over.
  const isThere = next[copiesOf(stepper, held) + COPIED] !== 0;
  if (isThere && stepper.without !== "what is left is copied after the hand-over") {
    copy(stepper, at, sumOfLengths(next[at + LENGTHS] as number, held + 1));
  }
  next[at + AT] = ALL_COPIED;
  stepper.emit("copies what is left", process);
}

/** It departs at an epoch of its own, claimed as any other. */
export function claimToDepartSteps(stepper: Stepper, process: number): void {
  const at = stepper.process(process);
  const held = stepper.read(at + HELD);
  if (stepper.without === "it departs at an epoch that it has claimed") departUnclaimed(stepper, process, at, held);
  else linkDeparture(stepper, process, at, held);
  stepper.begin();
  stepper.reset(at);
  stepper.emit("gives up its move", process);
}

/** What it has listed may be of any age, as with those who come to lead. */
function linkDeparture(stepper: Stepper, process: number, at: number, held: number): void {
  for (let epoch = Math.min(highestName(stepper) + 1, stepper.epochsMax); epoch > held; epoch--) {
    const claimAt = stepper.epoch(epoch) + CLAIM;
    if (stepper.read(claimAt) !== 0) continue;
    const next = stepper.begin();
    next[claimAt] = process + 1;
    next[at + EPOCH] = epoch;
    next[at + AT] = CLAIMED;
    stepper.emit("claims, to depart,", process, epoch);
  }
}

function departUnclaimed(stepper: Stepper, process: number, at: number, held: number): void {
  if (held === stepper.epochsMax || newestSeal(stepper, stepper.now, held + 2, SEAL) !== held) return;
  stepper.begin()[at + EPOCH] = held + 1;
  beginDeparture(stepper, at);
  stepper.emit("claims, to depart,", process, held + 1);
}

/**
 * What it knows to be in force nowhere: what the partition has left where it went away from, but for what says so, and
 * what those who led before copied without an end. A leader that serves has read its fuse, some time ago.
 */
function sweepOther(stepper: Stepper, process: number, at: number): void {
  const { without } = stepper;
  if (!stepper.configuration.sweeps) return;
  const own = stepper.read(at + EPOCH);
  const context = stepper.directory;
  stepper.directory ^= 1;
  const bound = stepper.layout.epochs + 2;
  const moved = newestSeal(stepper, stepper.now, bound, MOVED);
  const sealed = newestSeal(stepper, stepper.now, bound, SEAL);
  const next = stepper.begin();
  let isChanged = false;
  for (let epoch = 1; epoch <= stepper.epochsMax; epoch++) {
    const epochAt = stepper.epoch(epoch);
    const isEarlier = epoch < own || without === "a sweep leaves the copies of later epochs alone";
    if (epoch <= moved) {
      const isPointer = epoch === moved && without !== "what says where it went stays";
      isChanged = clear(stepper, epochAt, CLAIM, SEAL) || isChanged;
      if (!isPointer) isChanged = clear(stepper, epochAt, SEAL, MOVED + 1) || isChanged;
      else isChanged = clear(stepper, epochAt, RELEASED, SEAL_SINCE) || isChanged;
      isChanged = clear(stepper, epochAt, COPIED, COPIED_RECORDS + COPIED_MAX) || isChanged;
    } else if (isEarlier && epoch >= sealed && next[epochAt + COPIED] !== 0) {
      isChanged = clear(stepper, epochAt, COPIED, COPIED_RECORDS + COPIED_MAX) || isChanged;
    }
  }
  stepper.directory = context;
  if (isChanged) stepper.emit("sweeps the other directory", process);
}

function clear({ next }: Stepper, epochAt: number, from: number, to: number): boolean {
  let isChanged = false;
  for (let field = epochAt + from; field < epochAt + to; field++) {
    isChanged ||= next[field] !== 0;
    next[field] = 0;
  }
  return isChanged;
}
