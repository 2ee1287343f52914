import { initialState, type Model } from "./configuration.js";
import { expand } from "./expand.js";
import { violationOf } from "./invariants.js";
import { Recovery } from "./recovery.js";
import { StateSet } from "./state-set.js";
import type { State } from "./state.js";
import { Stepper } from "./stepper.js";
import { Symmetry } from "./symmetry.js";

/** What a search has found. */
export interface Finding {
  /** The invariant that does not hold. */
  readonly violation: string;
  /** What was done, one after the other: the number of each step among those that were possible. */
  readonly path: readonly number[];
}

export interface SearchResult {
  readonly states: number;
  readonly steps: number;
  /** Steps from the beginning to the state that is furthest away. */
  readonly depth: number;
  readonly finding: Finding | undefined;
}

/** A list of numbers that grows. */
class Numbers {
  #values: Int32Array = new Int32Array(1 << 12);

  set(index: number, value: number): void {
    if (index >= this.#values.length) {
      const larger = new Int32Array(this.#values.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[index] = value;
  }

  get(index: number): number {
    return this.#values[index] as number;
  }
}

/** Processes that are not alike keep their places. */
export function symmetryOf({ layout, without }: Model): Symmetry {
  return new Symmetry(layout, without === "our own is an incarnation, not a name" ? layout.processes : 0);
}

/**
 * Every state that can be reached, breadth first: what is found is found by a shortest way. Rejects no state for being
 * unlikely, and ends when there are no more; `statesMax` is there to notice a model that has grown too large.
 */
export function search(model: Model, statesMax: number = Number.POSITIVE_INFINITY): SearchResult {
  const { layout } = model;
  const states = new StateSet(layout.storedBytes);
  const parents = new Numbers();
  const choices = new Numbers();
  const symmetry = symmetryOf(model);
  const recovery = new Recovery(model);
  const scratch: State = new Uint8Array(layout.bytes);
  const words = new Uint32Array(scratch.buffer, 0, layout.storedBytes / 4);
  const current: State = new Uint8Array(layout.bytes);
  let at = -1;
  let choice = 0;
  let steps = 0;
  let finding: { violation: string; parent: number; choice: number } | undefined;

  const visit = (next: State, _action: number, violation: string | undefined): void => {
    const chosen = choice++;
    steps++;
    if (finding !== undefined) return;
    if (violation !== undefined) {
      finding = { violation, parent: at, choice: chosen };
      return;
    }
    scratch.set(next);
    symmetry.apply(scratch);
    const number = states.add(words);
    if (number < 0) return;
    parents.set(number, at);
    choices.set(number, chosen);
    const wrong = violationOf(stepper, scratch) ?? recovery.violationOf(scratch);
    if (wrong !== undefined) finding = { violation: wrong, parent: at, choice: chosen };
  };
  const stepper = new Stepper(model, visit);

  visit(initialState(model), 0, undefined);
  while (finding === undefined && ++at < states.count && states.count <= statesMax) {
    choice = 0;
    states.get(at, current);
    const stuck = expand(stepper, current);
    if (stuck !== undefined && finding === undefined) finding = { violation: stuck, parent: at, choice: -1 };
  }
  if (states.count > statesMax) throw new Error(`more than ${statesMax} states`);
  return {
    states: states.count,
    steps,
    depth: depthOf(states.count - 1, parents),
    finding: finding && { violation: finding.violation, path: pathTo(finding, parents, choices) },
  };
}

function pathTo(
  end: { readonly parent: number; readonly choice: number },
  parents: Numbers,
  choices: Numbers,
): number[] {
  const path = end.choice < 0 ? [] : [end.choice];
  for (let state = end.parent; state > 0; state = parents.get(state)) path.push(choices.get(state));
  return path.reverse();
}

function depthOf(state: number, parents: Numbers): number {
  let depth = 0;
  for (let at = state; at > 0; at = parents.get(at)) depth++;
  return depth;
}
