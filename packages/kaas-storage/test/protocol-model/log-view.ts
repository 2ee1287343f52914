import { COPIED, COPIED_RECORDS, cellOf, FILE, FILE_EXISTS, lengthOf, recordOf, type State, VISIBLE } from "./state.js";
import type { Stepper } from "./stepper.js";

/**
 * What a seal says of an offset: the record there, 0 if it is missing, −1 if its file was removed.
 *
 * @param copy the mover whose copies hold everything up to its epoch
 */
export function recordAt(
  stepper: Stepper,
  state: State,
  lengths: number,
  removed: number,
  offset: number,
  copy = 0,
): number {
  let start = 0;
  for (let epoch = 1; epoch < stepper.layout.epochs + 2; epoch++) {
    const length = lengthOf(lengths, epoch);
    if (offset < start + length) {
      if ((removed & (1 << epoch)) !== 0) return -1;
      if (epoch <= copy) return copiedRecord(stepper, state, copy, offset);
      return recordIn(stepper, state, epoch, offset - start);
    }
    start += length;
  }
  return 0;
}

function copiedRecord(stepper: Stepper, state: State, copy: number, offset: number): number {
  const at = stepper.epoch(copy);
  return offset < (state[at + COPIED] as number) - 1 ? (state[at + COPIED_RECORDS + offset] as number) : 0;
}

/** A slot's snapshot holds the records themselves; a seal counts what is in the files. */
function recordIn(stepper: Stepper, state: State, epoch: number, cell: number): number {
  const at = stepper.epoch(epoch);
  const file = state[at + FILE] as number;
  if (stepper.configuration.kind === "slot") return recordOf(epoch, 0);
  if ((file & FILE_EXISTS) === 0) return 0;
  const writer = cellOf(state[at + VISIBLE] as number, cell);
  return writer === 0 ? 0 : recordOf(epoch, writer);
}
