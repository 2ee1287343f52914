import { type Home, homeFrom } from "./home.js";
import {
  COPIED,
  COPIED_DURABLE,
  COPIED_RECORDS,
  cellOf,
  DURABLE,
  FILE,
  FILE_EXISTS,
  lengthOf,
  OFFSETS_MAX,
  PLACES,
  recordEpoch,
  recordWriter,
  SHOWN,
  type State,
  sumOfLengths,
} from "./state.js";
import type { Stepper } from "./stepper.js";

/** What is wrong with a state where partitions move: from wherever one looks first, everything is found where it lies. */
export function movingViolationOf(stepper: Stepper, state: State): string | undefined {
  for (let start = 0; start < stepper.layout.directories; start++) {
    if (((state[PLACES] as number) & (1 << start)) === 0) continue;
    const home = homeFrom(stepper, state, start);
    const violation = shownViolation(stepper, state, home) ?? missingFile(stepper, state, home);
    if (violation !== undefined) return `${violation}, looked for in directory ${start}`;
  }
  return undefined;
}

function shownViolation(stepper: Stepper, state: State, home: Home): string | undefined {
  for (let offset = 0; offset < OFFSETS_MAX; offset++) {
    const record = state[SHOWN + offset] as number;
    if (record === 0) continue;
    if (offset > 0 && state[SHOWN + offset - 1] === 0) return `offset ${offset} was served before offset ${offset - 1}`;
    const epoch = recordEpoch(record);
    const from = sumOfLengths(home.lengths, epoch);
    if (epoch !== home.seal && (offset < from || offset >= from + lengthOf(home.lengths, epoch))) {
      return `offset ${offset} of epoch ${epoch} was served, and is not in what directory ${home.directory} has in force`;
    }
    if (!isDurable(stepper, state, home, record, offset, from)) {
      return `offset ${offset} of epoch ${epoch} was served, and is not durable`;
    }
  }
  return undefined;
}

function isDurable(
  stepper: Stepper,
  state: State,
  { directory, copy }: Home,
  record: number,
  offset: number,
  from: number,
): boolean {
  const epoch = recordEpoch(record);
  if (epoch > copy) {
    const cells = state[stepper.epochIn(directory, epoch) + DURABLE] as number;
    return cellOf(cells, offset - from) === recordWriter(record);
  }
  const at = stepper.epochIn(directory, copy);
  return state[at + COPIED_RECORDS + offset] === record && (state[at + COPIED_DURABLE] as number) > offset;
}

/** What is in force is there. */
function missingFile(stepper: Stepper, state: State, home: Home): string | undefined {
  const { directory, seal, lengths, copy } = home;
  if (copy > 0) {
    const needed = sumOfLengths(lengths, copy + 1);
    const copied = (state[stepper.epochIn(directory, copy) + COPIED] as number) - 1;
    if (needed > 0 && copied < needed) return `the copies of epoch ${copy} are in force, and ${needed} are not there`;
  }
  for (let epoch = copy + 1; epoch <= seal; epoch++) {
    if (epoch < seal && lengthOf(lengths, epoch) === 0) continue;
    if (((state[stepper.epochIn(directory, epoch) + FILE] as number) & FILE_EXISTS) === 0) {
      return `the file of epoch ${epoch} is in force in directory ${directory}, and it is missing`;
    }
  }
  return undefined;
}
