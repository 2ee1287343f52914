import { blowSteps, lateBlowSteps } from "./blow-steps.js";
import { failToLead, secondListingSteps, settleSteps, withdrawSteps } from "./claim-steps.js";
import { confirmDepartureSteps, departSteps, followSteps, noteSteps } from "./departure-steps.js";
import { crashSteps, writeBackSteps } from "./environment-steps.js";
import { listSteps, rewriteSteps, scanSteps, sealedSteps, sealSteps, showSteps } from "./measure-steps.js";
import { lookSteps, placeSteps } from "./look-steps.js";
import { claimToDepartSteps, copyRestSteps, movingSteps } from "./moving-steps.js";
import { disposalSteps, sweepSteps } from "./removal-steps.js";
import { servingSteps } from "./serve-steps.js";
import {
  ALL_COPIED,
  AT,
  BLOWING,
  CLAIMED,
  CONFIRMED,
  DEPARTING,
  DEPARTURE_CONFIRMED,
  DEPARTURE_NOTED,
  DEPARTURE_SEALED,
  DIRECTORY,
  FENCED,
  FUSES_BLOWN,
  HANDED_OVER,
  IDLE,
  LINKED,
  LISTED,
  MEASURED,
  SCANNED,
  SEALED,
  SERVING,
  type State,
  WITHDRAWING,
  WITHDRAWN,
} from "./state.js";
import type { Stepper } from "./stepper.js";

type Steps = (stepper: Stepper, process: number) => void;

/** What a process may do next, by where it stands. Not going on at all is a pause, and a crash. */
const STEPS = new Map<number, Steps>([
  [IDLE, lookSteps],
  [LINKED, settleSteps],
  [CLAIMED, secondListingSteps],
  [BLOWING, blowSteps],
  [FUSES_BLOWN, listSteps],
  [LISTED, scanSteps],
  [SCANNED, rewriteSteps],
  [MEASURED, sealSteps],
  [SEALED, sealedSteps],
  [CONFIRMED, showSteps],
  [SERVING, servingSteps],
  [WITHDRAWING, withdrawSteps],
  [WITHDRAWN, withdrawSteps],
  [HANDED_OVER, copyRestSteps],
  [ALL_COPIED, claimToDepartSteps],
  [DEPARTING, departSteps],
  [DEPARTURE_SEALED, confirmDepartureSteps],
  [DEPARTURE_CONFIRMED, noteSteps],
  [DEPARTURE_NOTED, followSteps],
]);

/** Everything that can come next. */
export function expand(stepper: Stepper, state: State): string | undefined {
  stepper.now.set(state);
  let stuck: string | undefined;
  for (let process = 0; process < stepper.layout.processes; process++) {
    stepper.count = 0;
    expandProcess(stepper, process);
    if (stepper.count === 0 && isOnItsWay(stepper, process)) stuck ??= `a broker cannot go on to lead`;
  }
  for (let directory = 0; directory < stepper.layout.directories; directory++) {
    stepper.directory = directory;
    writeBackSteps(stepper);
  }
  stepper.directory = 0;
  if (stepper.isMoving) placeSteps(stepper);
  lateBlowSteps(stepper);
  crashSteps(stepper);
  return stuck;
}

/** What one process does next. */
export function expandProcess(stepper: Stepper, process: number): void {
  const at = stepper.process(process);
  const where = stepper.read(at + AT);
  if (stepper.isMoving) stepper.directory = stepper.read(at + DIRECTORY);
  STEPS.get(where)?.(stepper, process);
  const { disposals, sweeps, withdrawals } = stepper.configuration;
  if (disposals && where === SERVING) disposalSteps(stepper, process);
  if (withdrawals && where >= BLOWING && where <= MEASURED) failToLead(stepper, process);
  if (stepper.isMoving && where === SERVING) movingSteps(stepper, process);
  if (sweeps && (where === SERVING || where === SEALED)) sweepSteps(stepper, process);
}

function isOnItsWay(stepper: Stepper, process: number): boolean {
  const where = stepper.read(stepper.process(process) + AT);
  return where !== IDLE && where !== SERVING && where !== FENCED;
}
