/** From nothing to a claim whose rivals can no longer acknowledge: list, link-claim, second listing, blow. */
import { pickBase } from "./measure-steps.js";
import {
  AT,
  BLOWING,
  BLOWN,
  CLAIM,
  CLAIM_EMPTY,
  CLAIM_OWNER,
  CLAIM_PENDING,
  CLAIMED,
  COPIED,
  EPOCH,
  FUSE,
  FUSES_BLOWN,
  IDLE,
  LINKED,
  MOVED,
  RELEASED,
  SEAL,
  SINCE,
  type State,
  TO_BLOW,
  WITHDRAWING,
  WITHDRAWN,
} from "./state.js";
import { newestSeal, type Stepper } from "./stepper.js";

/**
 * The first listing may be as old as it likes, so any name is tried that was ever one above the highest and is not
 * taken; a taken one is lost, which changes nothing.
 */
export function claimSteps(stepper: Stepper, process: number): void {
  const floor = leftAt(stepper, process);
  const highest = Math.max(highestName(stepper), floor);
  for (let epoch = Math.min(highest + 1, stepper.epochsMax); epoch > floor; epoch--) {
    const claim = stepper.read(stepper.epoch(epoch) + CLAIM);
    if (claim === 0) link(stepper, process, epoch, process + 1);
    else if (epoch === highest && (claim & CLAIM_OWNER) !== process + 1) {
      if (stepper.without === "claims are exclusive") link(stepper, process, epoch, process + 1);
      if (stepper.without === "a doubtful claim is read back") link(stepper, process, epoch, claim);
    }
  }
}

function link(stepper: Stepper, process: number, epoch: number, claim: number): void {
  const next = stepper.begin();
  const at = stepper.process(process);
  stepper.startOver(at, IDLE);
  next[at + EPOCH] = epoch;
  const isEmptyFirst = stepper.without === "content before name";
  const isPending = stepper.configuration.serverCrashes > 0 || isEmptyFirst;
  next[at + AT] = isPending ? LINKED : CLAIMED;
  const flags = (isPending ? CLAIM_PENDING : 0) | (isEmptyFirst ? CLAIM_EMPTY : 0);
  next[stepper.epoch(epoch) + CLAIM] = claim | flags;
  stepper.emit("claims", process, epoch);
}

/** The reply may be lost and the server crash: what counts is whose nonce is in the file. */
export function settleSteps(stepper: Stepper, process: number): void {
  const at = stepper.process(process);
  const epoch = stepper.read(at + EPOCH);
  const claimAt = stepper.epoch(epoch) + CLAIM;
  const claim = stepper.read(claimAt);
  if (claim === 0) {
    link(stepper, process, epoch, process + 1);
  } else if ((claim & CLAIM_OWNER) === process + 1) {
    const next = stepper.begin();
    next[claimAt] = claim & CLAIM_OWNER;
    listAgain(stepper, process, "learns that its claim is durable, and lists again");
  } else {
    stepper.begin();
    stepper.reset(at);
    stepper.emit("loses its claim", process, epoch);
  }
}

export function secondListingSteps(stepper: Stepper, process: number): void {
  stepper.begin();
  listAgain(stepper, process, "lists again");
}

function listAgain(
  stepper: Stepper,
  process: number,
  action: "lists again" | "learns that its claim is durable, and lists again",
): void {
  const { next, without } = stepper;
  const at = stepper.process(process);
  const epoch = next[at + EPOCH] as number;
  if (isOvertaken(stepper, epoch) && without !== "the second listing") {
    if (stepper.configuration.withdrawals) next[at + AT] = WITHDRAWING;
    else stepper.reset(at);
    stepper.emit(action, process, epoch);
    return;
  }
  const toBlow = fusesToBlow(stepper, process, epoch);
  if (toBlow < 0) return; // a claim that names nobody: there is no going on
  next[at + TO_BLOW] = without === "fuses are blown" ? 0 : toBlow;
  next[at + AT] = next[at + TO_BLOW] !== 0 && !blowsLater(stepper) ? BLOWING : FUSES_BLOWN;
  if (without === "a listing after the blow") {
    pickBase(stepper, process);
    const where = next[at + AT] as number;
    next[at + AT] = toBlow === 0 ? where : BLOWING;
  }
  stepper.emit(action, process, epoch);
}

/** Owners of lower claims that were not handed over, but for this process itself; −1 when one cannot be read. */
function fusesToBlow(stepper: Stepper, process: number, below: number): number {
  const { next, without } = stepper;
  let toBlow = 0;
  for (let epoch = below - 1; epoch > 0; epoch--) {
    const at = stepper.epoch(epoch);
    const claim = next[at + CLAIM] as number;
    if (claim === 0 || next[at + RELEASED] !== 0) continue;
    if ((claim & CLAIM_EMPTY) !== 0) return -1;
    const owner = (claim & CLAIM_OWNER) - 1;
    // Without this step process 0 and 1 are two starts of one broker.
    const isOurs = owner === process || (without === "our own is an incarnation, not a name" && owner + process === 1);
    if (!isOurs && next[stepper.process(owner) + FUSE] !== BLOWN) toBlow |= 1 << owner;
    if (without === "all lower claims count, not only the newest") break;
  }
  return toBlow;
}

function blowsLater({ without }: Stepper): boolean {
  return without === "the blow comes before the measuring" || without === "the seal comes after the blow";
}

/** Before it seals, a broker may find that it cannot read the log. */
export function failToLead(stepper: Stepper, process: number): void {
  stepper.begin()[stepper.process(process) + AT] = WITHDRAWING;
  stepper.emit("cannot read the log, and gives up", process);
}

/** By its name: whoever claims the same epoch later has a claim of that name. */
export function withdrawSteps(stepper: Stepper, process: number): void {
  const at = stepper.process(process);
  const next = stepper.begin();
  const epoch = next[at + EPOCH] as number;
  next[stepper.epoch(epoch) + CLAIM] = 0;
  if (next[at + AT] === WITHDRAWING && stepper.without === "a claim is withdrawn once") next[at + AT] = WITHDRAWN;
  else stepper.reset(at);
  stepper.emit("withdraws its claim", process, epoch);
}

/** Epochs go on from the one at which the log left the other directory. */
function leftAt(stepper: Stepper, process: number): number {
  if (!stepper.isMoving || stepper.without === "epochs go on from where the log left") return 0;
  return stepper.read(stepper.process(process) + SINCE);
}

/** An epoch that was sealed is not claimed again, though its claim be gone. */
export function highestName(stepper: Stepper): number {
  return Math.max(highestTrace(stepper, stepper.now), highestClaim(stepper, stepper.now));
}

/** What epochs leave beside claims. Claims of those that saw the log leave are withdrawn from the top. */
function highestTrace(stepper: Stepper, state: State): number {
  const bound = stepper.layout.epochs + 2;
  const sealed = newestSeal(stepper, state, bound, SEAL);
  if (!stepper.isMoving) return sealed;
  return Math.max(sealed, newestSeal(stepper, state, bound, MOVED), newestSeal(stepper, state, bound, COPIED));
}

function isOvertaken(stepper: Stepper, epoch: number): boolean {
  if (highestClaim(stepper, stepper.next) > epoch) return true;
  if (!stepper.isMoving || stepper.without === "what an epoch has left tells of it, not its claim alone") return false;
  return highestTrace(stepper, stepper.next) >= epoch;
}

function highestClaim(stepper: Stepper, state: State): number {
  for (let epoch = stepper.layout.epochs + 1; epoch > 0; epoch--) {
    if (state[stepper.epoch(epoch) + CLAIM] !== 0) return epoch;
  }
  return 0;
}
