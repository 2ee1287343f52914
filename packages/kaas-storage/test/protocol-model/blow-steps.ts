/** The fuses of those who claimed before: one after the other, in any order. */
import {
  AT,
  BASE,
  BLOWING,
  BLOWN,
  FUSE,
  FUSES_BLOWN,
  LATE_BLOWS,
  LISTED,
  MEASURED,
  RELEASED,
  type State,
  TO_BLOW,
} from "./state.js";
import { NOBODY, type Stepper } from "./stepper.js";

export function blowSteps(stepper: Stepper, process: number): void {
  const at = stepper.process(process);
  const toBlow = stepper.read(at + TO_BLOW);
  for (let owner = 0; 1 << owner <= toBlow; owner++) {
    if ((toBlow & (1 << owner)) === 0) continue;
    const next = stepper.begin();
    next[at + TO_BLOW] = toBlow & ~(1 << owner);
    if (stepper.without === "the blow is durable before the measuring") {
      next[LATE_BLOWS] = (next[LATE_BLOWS] as number) | (1 << owner);
    } else {
      next[stepper.process(owner) + FUSE] = BLOWN;
    }
    if (next[at + TO_BLOW] === 0 && next[at + AT] === BLOWING) next[at + AT] = afterBlow(stepper, next, at);
    stepper.emit("blows the fuse of", process, owner);
  }
}

function afterBlow(stepper: Stepper, next: State, at: number): number {
  if (stepper.without !== "a listing after the blow") return FUSES_BLOWN;
  const base = next[at + BASE] as number;
  return base === 0 || next[stepper.epoch(base) + RELEASED] !== 0 ? MEASURED : LISTED;
}

/** Without the wait for it, a blow is on its way for as long as it likes. */
export function lateBlowSteps(stepper: Stepper): void {
  const late = stepper.read(LATE_BLOWS);
  for (let owner = 0; 1 << owner <= late; owner++) {
    if ((late & (1 << owner)) === 0) continue;
    const next = stepper.begin();
    next[LATE_BLOWS] = late & ~(1 << owner);
    next[stepper.process(owner) + FUSE] = BLOWN;
    stepper.emit("blow arrives", NOBODY, owner);
  }
}
