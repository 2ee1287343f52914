/** Where a broker that wants to lead looks first, and where it is told to. */
import { claimSteps } from "./claim-steps.js";
import { takeAlong } from "./departure-steps.js";
import { homeFrom } from "./home.js";
import { DIRECTORY, MOVED, PLACES, SEAL, SEAL_SINCE, SINCE } from "./state.js";
import { NOBODY, newestSeal, type Stepper } from "./stepper.js";

const SECOND = 1;

/** One who wants to lead looks where it was told to, and goes on from there. */
export function lookSteps(stepper: Stepper, process: number): void {
  if (!stepper.isMoving) {
    claimSteps(stepper, process);
    return;
  }
  const at = stepper.process(process);
  const since = stepper.read(at + SINCE);
  const departure = departureIn(stepper, since);
  if (departure > 0) {
    const next = stepper.begin();
    next[at + DIRECTORY] = stepper.directory ^ SECOND;
    takeAlong(stepper, at, departure);
    stepper.emit("follows it", process);
  }
  // What it has listed may be older than that.
  claimSteps(stepper, process);
  if (since !== 0 || stepper.directory === SECOND || (stepper.read(PLACES) & (1 << SECOND)) === 0) return;
  stepper.begin()[at + DIRECTORY] = SECOND;
  stepper.emit("is told that the topic lies in directory", process, SECOND);
}

/** The sealed epoch that says where the partition went, if it went from here and has not come back; else 0. */
function departureIn(stepper: Stepper, since: number): number {
  const { now, without } = stepper;
  const bound = stepper.layout.epochs + 2;
  const sealed = newestSeal(stepper, now, bound, SEAL);
  const moved = newestSeal(stepper, now, bound, MOVED);
  if (moved > since && sealed <= moved && stepper.read(stepper.epoch(moved) + SEAL_SINCE) !== 0) return moved;
  if (without !== "a departure is followed once it is noted" || sealed === 0) return 0;
  return stepper.read(stepper.epoch(sealed) + SEAL_SINCE) > since ? sealed : 0;
}

/** Who looks after topics records where the partition lies, for those who come to lead it. */
export function placeSteps(stepper: Stepper): void {
  if ((stepper.read(PLACES) & (1 << SECOND)) !== 0) return;
  const home = homeFrom(stepper, stepper.now, 0);
  const isLed = home.seal !== 0 || stepper.without === "it is recorded where it lies once it is led there";
  if (home.directory !== SECOND || !isLed) return;
  const next = stepper.begin();
  next[PLACES] = (next[PLACES] as number) | (1 << SECOND);
  stepper.emit("the topic is said to lie in directory", NOBODY, SECOND);
}
