import {
  cellOf,
  DURABLE,
  FILE,
  FILE_EXISTS,
  lengthOf,
  MANIFEST,
  RETIRED,
  recordEpoch,
  recordWriter,
  SEAL,
  SEAL_LENGTHS,
  SEAL_REMOVED,
  SHOWN,
  SNAPSHOT,
  type State,
  sumOfLengths,
  OFFSETS_MAX,
} from "./state.js";
import { movingViolationOf } from "./moving-invariants.js";
import { newestSeal, type Stepper } from "./stepper.js";

/**
 * What is wrong with a state, in words; undefined if nothing is. It is the newest seal that counts: an older one that
 * arrives late, of a leader whose fuse was blown on its way, binds nobody.
 */
export function violationOf(stepper: Stepper, state: State): string | undefined {
  if (stepper.isMoving) return movingViolationOf(stepper, state);
  const newest = newestSeal(stepper, state, stepper.layout.epochs + 2, SEAL);
  for (let offset = 0; offset < OFFSETS_MAX; offset++) {
    const record = state[SHOWN + offset] as number;
    if (record === 0) continue;
    const violation = shownViolation(stepper, state, newest, offset, record);
    if (violation !== undefined) return violation;
  }
  return stepper.configuration.kind === "slot" ? undefined : missingFile(stepper, state, newest);
}

function shownViolation(
  stepper: Stepper,
  state: State,
  newest: number,
  offset: number,
  record: number,
): string | undefined {
  if (offset > 0 && state[SHOWN + offset - 1] === 0 && !isRetiredBelow(state, record)) {
    return `offset ${offset} was served before offset ${offset - 1}`;
  }
  const written = recordEpoch(record);
  const isRetired = ((state[RETIRED] as number) & (1 << written)) !== 0;
  let start = startOf(stepper, state, written);
  if (newest > written) {
    const at = stepper.epoch(newest);
    const lengths = state[at + SEAL_LENGTHS] as number;
    const from = sumOfLengths(lengths, written);
    start ??= from;
    if (from !== start || offset < from || offset >= from + lengthOf(lengths, written)) {
      return `offset ${offset} of epoch ${written} was served, and is not in the seal of epoch ${newest}`;
    }
    if (((state[at + SEAL_REMOVED] as number) & (1 << written)) !== 0 && !isRetired) {
      return `offset ${offset} was served, and epoch ${newest} takes its file for obsolete, though no leader said so`;
    }
  }
  if (isRetired || start === undefined) return undefined;
  return isDurable(stepper, state, newest, written, offset - start, recordWriter(record))
    ? undefined
    : `offset ${offset} of epoch ${written} was served, and is not durable`;
}

/** Offsets below the log start were never shown to those that came later. */
function isRetiredBelow(state: State, record: number): boolean {
  return ((state[RETIRED] as number) & ((1 << recordEpoch(record)) - 1)) !== 0;
}

/** Where an epoch's own records begin, as its seal says. */
function startOf(stepper: Stepper, state: State, epoch: number): number | undefined {
  const at = stepper.epoch(epoch);
  return state[at + SEAL] === 0 ? undefined : sumOfLengths(state[at + SEAL_LENGTHS] as number, epoch);
}

/** A partition's records lie in their file; a slot's in a snapshot, or in the journal after it. */
function isDurable(
  stepper: Stepper,
  state: State,
  newest: number,
  epoch: number,
  cell: number,
  writer: number,
): boolean {
  const at = stepper.epoch(epoch);
  const durable = cellOf(state[at + DURABLE] as number, cell);
  if (stepper.configuration.kind === "partition") return durable === writer;
  return newest > epoch || durable !== 0 || cell < (state[at + SNAPSHOT] as number) - 1;
}

/** What the newest seal and its manifest have in force is there. */
function missingFile(stepper: Stepper, state: State, newest: number): string | undefined {
  if (newest === 0) return undefined;
  const at = stepper.epoch(newest);
  const obsolete = (state[at + SEAL_REMOVED] as number) | (state[at + MANIFEST] as number);
  for (let epoch = 1; epoch <= newest; epoch++) {
    const isNamed = epoch === newest || lengthOf(state[at + SEAL_LENGTHS] as number, epoch) > 0;
    if (!isNamed || (obsolete & (1 << epoch)) !== 0) continue;
    if (((state[stepper.epoch(epoch) + FILE] as number) & FILE_EXISTS) === 0) {
      return `the newest seal, of epoch ${newest}, has the file of epoch ${epoch} in force, and it is missing`;
    }
  }
  return undefined;
}
