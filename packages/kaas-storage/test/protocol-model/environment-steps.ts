/** What the file server and the kernels of its clients do by themselves. */
import {
  CLAIM,
  CLAIM_PENDING,
  CRASHES_LEFT,
  cellOf,
  DURABLE,
  FILE,
  FILE_EXISTS,
  FILE_WRITER_SHIFT,
  VISIBLE,
  withCell,
} from "./state.js";
import { NOBODY, type Stepper } from "./stepper.js";

const CELLS = 2;

/**
 * A kernel sends what it holds in its page cache whenever it likes, long after its process has died too, and in any
 * order. Others see it, and it is not durable.
 */
export function writeBackSteps(stepper: Stepper): void {
  for (let epoch = 1; epoch <= stepper.epochsMax; epoch++) {
    const at = stepper.epoch(epoch);
    const file = stepper.read(at + FILE);
    if ((file & FILE_EXISTS) === 0) continue;
    for (let cell = 0; cell < CELLS; cell++) {
      const isSent = cellOf(stepper.read(at + VISIBLE), cell) !== 0;
      if ((file & (1 << cell)) === 0 || isSent) continue;
      const next = stepper.begin();
      next[at + VISIBLE] = withCell(next[at + VISIBLE] as number, cell, file >> FILE_WRITER_SHIFT);
      stepper.emit("write-back", NOBODY, epoch);
    }
  }
}

/** The server forgets any part of what is not durable: records that were sent and not synced, and names. */
export function crashSteps(stepper: Stepper): void {
  const left = stepper.read(CRASHES_LEFT);
  if (left === 0) return;
  const atStake = undurable(stepper);
  for (let lost = 0; lost < 1 << atStake.length; lost++) {
    const next = stepper.begin();
    next[CRASHES_LEFT] = left - 1;
    atStake.forEach(({ at, cell }, index) => {
      const isLost = (lost & (1 << index)) !== 0;
      if (cell === undefined) {
        next[at + CLAIM] = isLost ? 0 : (next[at + CLAIM] as number) & ~CLAIM_PENDING;
      } else if (isLost) {
        next[at + VISIBLE] = withCell(next[at + VISIBLE] as number, cell, cellOf(next[at + DURABLE] as number, cell));
      } else {
        next[at + DURABLE] = withCell(next[at + DURABLE] as number, cell, cellOf(next[at + VISIBLE] as number, cell));
      }
    });
    stepper.emit("the file server crashes", NOBODY, lost);
  }
}

interface Undurable {
  readonly at: number;
  /** A record of the epoch's file; without it, the epoch's claim. */
  readonly cell: number | undefined;
}

function undurable(stepper: Stepper): Undurable[] {
  const found: Undurable[] = [];
  for (let epoch = 1; epoch <= stepper.epochsMax; epoch++) {
    const at = stepper.epoch(epoch);
    if ((stepper.read(at + CLAIM) & CLAIM_PENDING) !== 0) found.push({ at, cell: undefined });
    const visible = stepper.read(at + VISIBLE);
    const durable = stepper.read(at + DURABLE);
    for (let cell = 0; cell < CELLS; cell++) {
      if (cellOf(visible, cell) !== cellOf(durable, cell)) found.push({ at, cell });
    }
  }
  return found;
}
