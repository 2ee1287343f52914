/** What leaders destroy: files that they declared obsolete, and what their seal does not name. */
import {
  AT,
  BLOWN,
  CLAIM,
  CONFIRMED_COUNT,
  COPIED,
  COPIED_MAX,
  COPIED_RECORDS,
  COPY,
  countOf,
  DISPOSAL,
  DURABLE,
  EPOCH,
  FENCED,
  FILE,
  FILE_DIRTY,
  FUSE,
  LENGTHS,
  lengthOf,
  MANIFEST,
  PROGRESS,
  RELEASED,
  REMOVED,
  RETIRED,
  SEAL,
  SEALED,
  SEAL_LENGTHS,
  SEAL_REMOVED,
  SEAL_SINCE,
  SERVING,
  SNAPSHOT,
  SYNCED,
  VISIBLE,
  WRITTEN,
  withCell,
} from "./state.js";
import type { Stepper } from "./stepper.js";

const NOTHING = 0;
const DECLARED = 1;
const MAY_REMOVE = 2;
const DONE = 3;

export function disposalSteps(stepper: Stepper, process: number): void {
  const at = stepper.process(process);
  const stage = stepper.read(at + DISPOSAL);
  const isHasty = stepper.without === "the fuse is read before a file is removed";
  if (stage === NOTHING) {
    if (stepper.configuration.kind === "slot") declareJournal(stepper, process, at);
    else declareFile(stepper, process, at);
  } else if (stage === DECLARED && !isHasty) {
    confirmRemoval(stepper, process, at);
  } else if (stage === DECLARED || stage === MAY_REMOVE) {
    remove(stepper, process, at);
  }
}

/** A partition: a manifest says that the oldest file in force is obsolete. */
function declareFile(stepper: Stepper, process: number, at: number): void {
  const epoch = stepper.read(at + EPOCH);
  const lengths = stepper.read(at + LENGTHS);
  const removed = stepper.read(at + REMOVED);
  let oldest = 1;
  while (oldest < epoch && (lengthOf(lengths, oldest) === 0 || (removed & (1 << oldest)) !== 0)) oldest++;
  if (oldest === epoch) return;
  const next = stepper.begin();
  if (stepper.without === "the manifest is durable before a file is removed") {
    removeFile(stepper, oldest);
    next[at + DISPOSAL] = DONE;
    stepper.emit("removes the file of epoch", process, oldest);
    return;
  }
  next[stepper.epoch(epoch) + MANIFEST] = 1 << oldest;
  // After its fuse is blown a leader decides nothing any more, unless its successor still finds the manifest.
  if (next[at + FUSE] !== BLOWN) next[RETIRED] = (next[RETIRED] as number) | (1 << oldest);
  next[at + DISPOSAL] = DECLARED;
  stepper.emit("declares obsolete", process, oldest);
}

/** A slot: a second snapshot holds what the journal has so far. */
function declareJournal(stepper: Stepper, process: number, at: number): void {
  const epoch = stepper.read(at + EPOCH);
  const progress = stepper.read(at + PROGRESS);
  const written = countOf(progress, WRITTEN);
  if (written === 0 || countOf(progress, SYNCED) !== written || countOf(progress, CONFIRMED_COUNT) !== written) return;
  const next = stepper.begin();
  if (stepper.without === "the manifest is durable before a file is removed") {
    removeJournal(stepper, epoch, written);
    next[at + DISPOSAL] = DONE;
    stepper.emit("removes the file of epoch", process, epoch);
    return;
  }
  next[stepper.epoch(epoch) + SNAPSHOT] = 1 + written;
  next[at + DISPOSAL] = DECLARED;
  stepper.emit("declares obsolete", process, epoch);
}

function confirmRemoval(stepper: Stepper, process: number, at: number): void {
  const next = stepper.begin();
  const isLive = next[at + FUSE] !== BLOWN || stepper.without === "the fuse is read uncached";
  if (isLive) next[at + DISPOSAL] = MAY_REMOVE;
  else stepper.reset(at, FENCED);
  stepper.emit("reads its fuse before it removes", process, isLive ? 1 : 0);
}

function remove(stepper: Stepper, process: number, at: number): void {
  const next = stepper.begin();
  const epoch = stepper.read(at + EPOCH);
  const epochAt = stepper.epoch(epoch);
  next[at + DISPOSAL] = DONE;
  if (stepper.configuration.kind === "slot") {
    removeJournal(stepper, epoch, stepper.read(epochAt + SNAPSHOT) - 1);
    stepper.emit("removes the file of epoch", process, epoch);
    return;
  }
  const obsolete = Math.log2(stepper.read(epochAt + MANIFEST));
  removeFile(stepper, obsolete);
  stepper.emit("removes the file of epoch", process, obsolete);
}

function removeFile(stepper: Stepper, epoch: number): void {
  const { next } = stepper;
  const at = stepper.epoch(epoch);
  next[at + FILE] = 0;
  next[at + VISIBLE] = 0;
  next[at + DURABLE] = 0;
}

/** The journal before the second snapshot; what comes after it goes to the next journal. */
function removeJournal(stepper: Stepper, epoch: number, count: number): void {
  const { next } = stepper;
  const at = stepper.epoch(epoch);
  for (let cell = 0; cell < count; cell++) {
    next[at + VISIBLE] = withCell(next[at + VISIBLE] as number, cell, 0);
    next[at + DURABLE] = withCell(next[at + DURABLE] as number, cell, 0);
  }
  next[at + FILE] = (next[at + FILE] as number) & ~(FILE_DIRTY & ((1 << count) - 1));
}

/** A leader that serves has sealed, and has read its fuse since. */
export function sweepSteps(stepper: Stepper, process: number): void {
  const at = stepper.process(process);
  const where = stepper.read(at + AT);
  const isHasty = where === SEALED && stepper.without === "the fuse is read before a sweep";
  if (where !== SERVING && !isHasty) return;
  const own = stepper.read(at + EPOCH);
  const all = stepper.without === "a sweep leaves later epochs alone" ? stepper.epochsMax : own - 1;
  let hasNames = false;
  for (let epoch = 1; epoch <= all; epoch++) {
    if (epoch === own) continue;
    const epochAt = stepper.epoch(epoch);
    if (isSweepable(stepper, at, epoch, own)) {
      stepper.begin();
      removeFile(stepper, epoch);
      stepper.emit("sweeps the file of epoch", process, epoch);
    }
    if (epoch < own) hasNames ||= stepper.read(epochAt + CLAIM) !== 0 || stepper.read(epochAt + SEAL) !== 0;
    if (stepper.isMoving && epoch < own && epoch !== stepper.read(at + COPY)) {
      hasNames ||= stepper.read(epochAt + COPIED) !== 0;
    }
  }
  if (hasNames) sweepNames(stepper, process, own, stepper.isMoving ? stepper.read(at + COPY) : 0);
}

/** Everything of older epochs that is not in force; a slot's snapshot leaves nothing older in force. */
function isSweepable(stepper: Stepper, at: number, epoch: number, own: number): boolean {
  if (stepper.read(stepper.epoch(epoch) + FILE) === 0) return false;
  if (stepper.configuration.kind === "slot" || epoch > own) return true;
  if (stepper.isMoving && epoch <= stepper.read(at + COPY)) return true;
  const isNamed = lengthOf(stepper.read(at + LENGTHS), epoch) > 0;
  return !isNamed || (stepper.read(at + REMOVED) & (1 << epoch)) !== 0;
}

function sweepNames(stepper: Stepper, process: number, below: number, copy: number): void {
  const next = stepper.begin();
  for (let epoch = 1; epoch < below; epoch++) {
    const at = stepper.epoch(epoch);
    for (const field of [CLAIM, SEAL, SEAL_LENGTHS, SEAL_REMOVED, RELEASED, MANIFEST, SNAPSHOT]) next[at + field] = 0;
    if (!stepper.isMoving) continue;
    next.fill(0, at + SEAL_SINCE, at + COPIED);
    if (epoch !== copy) next.fill(0, at + COPIED, at + COPIED_RECORDS + COPIED_MAX);
  }
  stepper.emit("sweeps older claims, seals and markers", process);
}
