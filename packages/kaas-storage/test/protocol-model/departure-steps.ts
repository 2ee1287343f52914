/** Who comes to a partition that went to the other directory: sees to it that nobody goes on here, and follows. */
import {
  ARRIVAL_LENGTHS,
  AT,
  BASE,
  BLOWN,
  CLAIM,
  COPY,
  DEPARTING,
  DEPARTURE_CONFIRMED,
  DEPARTURE_NOTED,
  DEPARTURE_SEALED,
  DIRECTORY,
  EPOCH,
  FENCED,
  FUSE,
  HELD,
  IDLE,
  LENGTHS,
  MEASURED,
  MOVED,
  RELEASED,
  SEAL,
  SEAL_COPY,
  SEAL_LENGTHS,
  SEAL_SINCE,
  SINCE,
} from "./state.js";
import { findsSealed, newestSeal, type Stepper } from "./stepper.js";

/** What the seal of a departure says, for whoever follows. */
export function takeAlong(stepper: Stepper, at: number, departure: number): void {
  const { next } = stepper;
  const departureAt = stepper.epoch(departure);
  next[at + SINCE] = next[departureAt + SEAL_SINCE] as number;
  next[at + ARRIVAL_LENGTHS] = next[departureAt + SEAL_LENGTHS] as number;
  next[at + COPY] = next[departureAt + SEAL_COPY] as number;
}

/**
 * What a claimant's listing says of moves. False where the log is here, and has not just arrived, so that it is measured
 * as any other.
 */
export function pickDeparture(stepper: Stepper, process: number): boolean {
  const { next, without } = stepper;
  const at = stepper.process(process);
  const epoch = next[at + EPOCH] as number;
  const base = newestSeal(stepper, next, epoch, SEAL);
  const baseAt = stepper.epoch(base);
  if (next[at + HELD] !== 0) {
    departUnlessTouched(stepper, at, base);
    return true;
  }
  const since = next[at + SINCE] as number;
  const baseSince = base === 0 ? 0 : (next[baseAt + SEAL_SINCE] as number);
  const isNewer = since > (baseSince || base) || without === "what was sealed here since counts more than what arrives";
  if (since > 0 && isNewer) {
    next[at + BASE] = 0;
    next[at + LENGTHS] = next[at + ARRIVAL_LENGTHS] as number;
    next[at + AT] = MEASURED;
    return true;
  }
  next[at + COPY] = base === 0 ? 0 : (next[baseAt + SEAL_COPY] as number);
  if (baseSince === 0) return false;
  takeAlong(stepper, at, base);
  next[at + AT] = mayBeSealed(stepper, base, epoch) ? DEPARTING : DEPARTURE_SEALED;
  return true;
}

/** A mover departs only if nobody has led since it handed over. */
function departUnlessTouched(stepper: Stepper, at: number, base: number): void {
  const { next, without } = stepper;
  const epoch = next[at + EPOCH] as number;
  const held = next[at + HELD] as number;
  const isUntouched = base === held && next[stepper.epoch(held) + RELEASED] !== 0;
  if (!isUntouched && without !== "only who led last departs") {
    next[stepper.epoch(epoch) + CLAIM] = 0;
    stepper.reset(at);
    return;
  }
  beginDeparture(stepper, at);
}

/** What a mover takes along is what it handed over, in its copies. */
export function beginDeparture({ next }: Stepper, at: number): void {
  next[at + SINCE] = next[at + EPOCH] as number;
  next[at + ARRIVAL_LENGTHS] = next[at + LENGTHS] as number;
  next[at + COPY] = next[at + HELD] as number;
  next[at + LENGTHS] = 0;
  next[at + HELD] = 0;
  next[at + AT] = DEPARTING;
}

/** One that claimed in between may seal yet, with what it found before the partition went. */
function mayBeSealed(stepper: Stepper, base: number, epoch: number): boolean {
  if (stepper.without === "who may seal yet is sealed over") return false;
  for (let claimed = base + 1; claimed < epoch; claimed++) {
    if (stepper.next[stepper.epoch(claimed) + CLAIM] !== 0) return true;
  }
  return false;
}

export function departSteps(stepper: Stepper, process: number): void {
  const at = stepper.process(process);
  const next = stepper.begin();
  const epoch = next[at + EPOCH] as number;
  const epochAt = stepper.epoch(epoch);
  if (findsSealed(stepper, process, epoch)) return;
  next[epochAt + SEAL] = 1;
  next[epochAt + SEAL_SINCE] = next[at + SINCE] as number;
  next[epochAt + SEAL_LENGTHS] = next[at + ARRIVAL_LENGTHS] as number;
  next[epochAt + SEAL_COPY] = next[at + COPY] as number;
  next[at + AT] = DEPARTURE_SEALED;
  stepper.emit("seals that it went", process);
}

export function confirmDepartureSteps(stepper: Stepper, process: number): void {
  const at = stepper.process(process);
  const next = stepper.begin();
  const isLive = next[at + FUSE] !== BLOWN || stepper.without === "the fuse is read before it is noted that it went";
  if (isLive) next[at + AT] = DEPARTURE_CONFIRMED;
  else stepper.reset(at, FENCED);
  stepper.emit("reads its fuse before it notes that it went", process, isLive ? 1 : 0);
}

export function noteSteps(stepper: Stepper, process: number): void {
  const at = stepper.process(process);
  const next = stepper.begin();
  const since = next[at + SINCE] as number;
  next[stepper.epoch(since) + MOVED] = 1;
  next[at + AT] = DEPARTURE_NOTED;
  stepper.emit("notes that it went, at epoch", process, since);
}

/** Its claim goes, and it with what it knows to where the partition went. */
export function followSteps(stepper: Stepper, process: number): void {
  const at = stepper.process(process);
  const next = stepper.begin();
  next[stepper.epoch(next[at + EPOCH] as number) + CLAIM] = 0;
  stepper.startOver(at, IDLE);
  next[at + DIRECTORY] = stepper.directory ^ 1;
  stepper.emit("follows it", process);
}
