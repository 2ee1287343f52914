/** From blown fuses to a seal: list, scan the tail, rewrite and sync it, seal, and show what the seal holds. */
import { blowSteps } from "./blow-steps.js";
import { pickDeparture } from "./departure-steps.js";
import { recordAt } from "./log-view.js";
import {
  AT,
  BASE,
  BLOWN,
  CONFIRMED,
  COPY,
  cellOf,
  DURABLE,
  EPOCH,
  FENCED,
  FILE,
  FILE_EXISTS,
  FILE_WRITER_SHIFT,
  FUSE,
  LENGTHS,
  LISTED,
  lengthOf,
  MANIFEST,
  MEASURED,
  OFFSETS_MAX,
  RELEASED,
  REMOVED,
  RETIRED,
  SCANNED,
  SEAL,
  SEAL_COPY,
  SEAL_LENGTHS,
  SEAL_REMOVED,
  SEALED,
  SERVING,
  SHOWN,
  SINCE,
  SNAPSHOT,
  sumOfLengths,
  TO_BLOW,
  VISIBLE,
  withCell,
  withLength,
} from "./state.js";
import { findsSealed, newestSeal, type Stepper } from "./stepper.js";

export function listSteps(stepper: Stepper, process: number): void {
  stepper.begin();
  if (!stepper.isMoving || !pickDeparture(stepper, process)) pickBase(stepper, process);
  stepper.emit("lists seals, markers and manifests", process);
}

/** The newest seal binds, and after it the hand-over, the newest manifest and the second snapshot of its own epoch. */
export function pickBase(stepper: Stepper, process: number): void {
  const { next, without, configuration } = stepper;
  const at = stepper.process(process);
  const epoch = next[at + EPOCH] as number;
  let base = newestSeal(stepper, next, epoch, SEAL);
  if (without === "a later seal counts more than a marker") {
    base = newestSeal(stepper, next, epoch, RELEASED) || base;
  }
  next[at + BASE] = base;
  next[at + AT] = MEASURED;
  if (base === 0) return;
  const baseAt = stepper.epoch(base);
  let lengths = next[baseAt + SEAL_LENGTHS] as number;
  if (without === "the newest seal binds, not the oldest") lengths = oldestLengths(stepper, base);
  let removed = next[baseAt + SEAL_REMOVED] as number;
  if (configuration.kind === "partition") {
    removed |= next[baseAt + MANIFEST] as number;
    next[RETIRED] = (next[RETIRED] as number) | (next[baseAt + MANIFEST] as number);
    if (without === "only the newest sealed epoch's manifest counts") removed |= allManifests(stepper, epoch);
  }
  const released = next[baseAt + RELEASED] as number;
  if (released !== 0) {
    lengths = withLength(lengths, base, released - 1);
  } else {
    const snapshot = next[baseAt + SNAPSHOT] as number;
    lengths = withLength(lengths, base, snapshot === 0 ? 0 : snapshot - 1);
    next[at + AT] = LISTED;
  }
  next[at + LENGTHS] = lengths;
  next[at + REMOVED] = removed;
}

function oldestLengths(stepper: Stepper, base: number): number {
  let lengths = stepper.next[stepper.epoch(base) + SEAL_LENGTHS] as number;
  for (let seal = base - 1; seal > 0; seal--) {
    const at = stepper.epoch(seal);
    if (stepper.next[at + SEAL] === 0) continue;
    const older = stepper.next[at + SEAL_LENGTHS] as number;
    for (let epoch = 1; epoch < seal; epoch++) lengths = withLength(lengths, epoch, lengthOf(older, epoch));
  }
  return lengths;
}

function allManifests(stepper: Stepper, below: number): number {
  let removed = 0;
  for (let epoch = 1; epoch < below; epoch++) removed |= stepper.next[stepper.epoch(epoch) + MANIFEST] as number;
  return removed;
}

/** Uncached: what the server answers now, up to the first record that is not there. */
export function scanSteps(stepper: Stepper, process: number): void {
  const at = stepper.process(process);
  const base = stepper.read(at + BASE);
  const from = lengthOf(stepper.read(at + LENGTHS), base);
  const found = scannedLength(stepper, base, from);
  const oldest = stepper.without === "the tail is read uncached" ? from : found;
  for (let length = found; length >= oldest; length--) {
    const next = stepper.begin();
    let lengths = withLength(next[at + LENGTHS] as number, base, length);
    if (stepper.without === "earlier seals bind") {
      for (let epoch = 1; epoch < base; epoch++) lengths = withLength(lengths, epoch, scannedLength(stepper, epoch, 0));
    }
    next[at + LENGTHS] = lengths;
    const hasTail = length > 0 && stepper.configuration.kind === "partition";
    next[at + AT] = hasTail ? SCANNED : MEASURED;
    stepper.emit("scans the tail", process, length);
  }
}

function scannedLength(stepper: Stepper, epoch: number, from: number): number {
  const visible = stepper.read(stepper.epoch(epoch) + VISIBLE);
  let length = from;
  while (length < 2 && cellOf(visible, length) !== 0) length++;
  return length;
}

/** Another client's sync sends only what that client wrote: so the same bytes are written once more. */
export function rewriteSteps(stepper: Stepper, process: number): void {
  const at = stepper.process(process);
  const base = stepper.read(at + BASE);
  const baseAt = stepper.epoch(base);
  const file = stepper.read(baseAt + FILE);
  const next = stepper.begin();
  if ((file & FILE_EXISTS) === 0) {
    stepper.reset(at); // somebody who sealed a later epoch has removed it
    stepper.emit("finds the tail removed", process, base);
    return;
  }
  const { without } = stepper;
  for (let cell = 0; cell < lengthOf(stepper.read(at + LENGTHS), base); cell++) {
    if (without === "the tail is rewritten") break;
    const writer = file >> FILE_WRITER_SHIFT;
    next[baseAt + VISIBLE] = withCell(next[baseAt + VISIBLE] as number, cell, writer);
    if (without === "the rewritten tail is synced") continue;
    next[baseAt + DURABLE] = withCell(next[baseAt + DURABLE] as number, cell, writer);
  }
  next[at + AT] = MEASURED;
  stepper.emit("rewrites the tail and syncs it", process);
}

export function sealSteps(stepper: Stepper, process: number): void {
  const at = stepper.process(process);
  if (stepper.read(at + TO_BLOW) !== 0 && stepper.without !== "the seal comes after the blow") {
    blowSteps(stepper, process);
    return;
  }
  const next = stepper.begin();
  const epoch = next[at + EPOCH] as number;
  const epochAt = stepper.epoch(epoch);
  if (findsSealed(stepper, process, epoch)) return;
  next[epochAt + FILE] = FILE_EXISTS | ((process + 1) << FILE_WRITER_SHIFT);
  next[at + AT] = SEALED;
  next[at + BASE] = 0;
  if (stepper.without !== "it serves once it has sealed") {
    next[epochAt + SEAL] = 1;
    next[epochAt + SEAL_LENGTHS] = next[at + LENGTHS] as number;
    next[epochAt + SEAL_REMOVED] = next[at + REMOVED] as number;
    if (stepper.isMoving) next[epochAt + SEAL_COPY] = next[at + COPY] as number;
  }
  if (stepper.isMoving) next.fill(0, at + SINCE, at + COPY);
  stepper.emit("seals", process, epoch);
}

/** The seal is durable, then the fuse, then act: here, show what the seal holds. */
export function sealedSteps(stepper: Stepper, process: number): void {
  const at = stepper.process(process);
  if (stepper.read(at + TO_BLOW) !== 0) {
    blowSteps(stepper, process);
    return;
  }
  const next = stepper.begin();
  const isLive = stepper.read(at + FUSE) !== BLOWN || ignoresFuse(stepper, "the fuse is read before anything is shown");
  if (isLive) next[at + AT] = CONFIRMED;
  else stepper.reset(at, FENCED);
  stepper.emit("reads its fuse before it shows anything", process, isLive ? 1 : 0);
}

function ignoresFuse({ without }: Stepper, step: "the fuse is read before anything is shown"): boolean {
  return without === step || without === "the fuse is read uncached";
}

export function showSteps(stepper: Stepper, process: number): void {
  const next = stepper.begin();
  const at = stepper.process(process);
  const epoch = next[at + EPOCH] as number;
  const lengths = next[at + LENGTHS] as number;
  const end = sumOfLengths(lengths, epoch);
  // What a successor has removed by right by now cannot be read, and is not shown.
  const removed = (next[at + REMOVED] as number) | (next[RETIRED] as number);
  let violation: string | undefined;
  for (let offset = 0; offset < Math.min(end, OFFSETS_MAX); offset++) {
    const record = recordAt(stepper, next, lengths, removed, offset, stepper.isMoving ? next[at + COPY] : 0);
    if (record < 0) continue;
    const shown = next[SHOWN + offset] as number;
    if (record === 0) violation ??= `offset ${offset} is sealed, and not there`;
    else if (shown !== 0 && shown !== record) violation ??= `offset ${offset} is shown as two different records`;
    else next[SHOWN + offset] = record;
  }
  next[at + AT] = SERVING;
  stepper.emit("shows what its seal holds", process, end, violation);
}
