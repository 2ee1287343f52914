import { SEAL, SEAL_COPY, SEAL_LENGTHS, SEAL_SINCE, type State } from "./state.js";
import { newestSeal, type Stepper } from "./stepper.js";

const HOPS_MAX = 4;

/** Where a partition lies, and what says of what it consists. */
export interface Home {
  readonly directory: number;
  /** The newest epoch that is sealed there since it arrived; 0 if none is. */
  readonly seal: number;
  readonly lengths: number;
  /** The mover whose copies hold everything up to its epoch. */
  readonly copy: number;
}

/** Follows a partition from where somebody looks first. What has left counts from the seal on that says so. */
export function homeFrom(stepper: Stepper, state: State, start: number): Home {
  const context = stepper.directory;
  const bound = stepper.layout.epochs + 2;
  let home: Home = { directory: start, seal: 0, lengths: 0, copy: 0 };
  let since = 0;
  for (let hop = 0; hop < HOPS_MAX; hop++) {
    stepper.directory = home.directory;
    const seal = newestSeal(stepper, state, bound, SEAL);
    const at = stepper.epoch(seal);
    const leftSince = seal === 0 ? 0 : (state[at + SEAL_SINCE] as number);
    if ((leftSince || seal) <= since) break;
    const isGone = leftSince !== 0;
    home = {
      directory: isGone ? home.directory ^ 1 : home.directory,
      seal: isGone ? 0 : seal,
      lengths: state[at + SEAL_LENGTHS] as number,
      copy: state[at + SEAL_COPY] as number,
    };
    if (!isGone) break;
    since = leftSince;
  }
  stepper.directory = context;
  return home;
}
