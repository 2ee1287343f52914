import { expandProcess } from "./expand.js";
import type { Model } from "./configuration.js";
import { StateSet } from "./state-set.js";
import { ACKED, AT, countOf, DIRECTORY, type Layout, PLACES, PROGRESS, SERVING, type State } from "./state.js";
import { ACTIONS, Stepper } from "./stepper.js";
import { violationOf } from "./invariants.js";

const STEPS_MAX = 60;
/** Of several things that it could do, the new broker does what leads it on. */
const DETOURS: ReadonlySet<string> = new Set([
  "fails to write",
  "hands over",
  "declares obsolete",
  "sweeps the file of epoch",
  "sweeps older claims, seals and markers",
  "cannot read the log, and gives up",
  "is told that the topic lies in directory",
  "copies while it serves",
  "sweeps the other directory",
]);

/**
 * Faults stop, nobody else moves, and a broker starts afresh: it must come to lead, find all that was acknowledged, and
 * acknowledge. It sees what is on the server and nothing else, so what it did for one state holds for all that have the
 * same there. It does the whole protocol, whatever step the others leave out.
 */
export class Recovery {
  readonly #stepper: Stepper;
  readonly #seen: StateSet;
  readonly #state: State;
  readonly #words: Uint32Array;
  #isChosen = false;
  #violation: string | undefined;

  constructor(model: Model) {
    const { layout } = model;
    this.#state = new Uint8Array(layout.bytes);
    this.#words = new Uint32Array(this.#state.buffer, 0, layout.storedBytes / 4);
    this.#seen = new StateSet(layout.storedBytes);
    this.#stepper = new Stepper({ ...model, without: undefined }, (next, action, violation) =>
      this.#choose(next, action, violation),
    );
    this.#stepper.epochsMax = layout.epochs + 1;
    this.#stepper.spareRecords = 1;
  }

  /** What keeps a new broker from leading; undefined if nothing does. */
  violationOf(state: State): string | undefined {
    const { layout, isMoving } = this.#stepper;
    this.#state.set(state);
    forgetProcesses(this.#state, layout);
    if (this.#seen.add(this.#words) < 0) return undefined;
    if (!isMoving) return this.#violationFrom(undefined);
    const begin = this.#state.slice();
    for (let start = 0; start < layout.directories; start++) {
      if (((begin[PLACES] as number) & (1 << start)) === 0) continue;
      this.#state.set(begin);
      const violation = this.#violationFrom(start);
      if (violation !== undefined) return `${violation}, and looks in directory ${start} first`;
    }
    return undefined;
  }

  #violationFrom(start: number | undefined): string | undefined {
    const process = this.#stepper.layout.processes;
    const at = this.#stepper.process(process);
    if (start !== undefined) this.#state[at + DIRECTORY] = start;
    for (let step = 0; step < STEPS_MAX; step++) {
      this.#isChosen = false;
      this.#stepper.now.set(this.#state);
      expandProcess(this.#stepper, process);
      this.#violation ??= this.#isChosen ? violationOf(this.#stepper, this.#state) : "a new broker cannot go on";
      if (this.#violation !== undefined) return `${this.#violation}, when all faults are over and a new broker leads`;
      const hasAcked = countOf(this.#state[at + PROGRESS] as number, ACKED) > 0;
      if (hasAcked && this.#state[at + AT] === SERVING) return undefined;
    }
    return "a new broker comes to lead nothing, though all faults are over";
  }

  #choose(next: State, action: number, violation: string | undefined): void {
    if (this.#isChosen || DETOURS.has(ACTIONS[action & 255] as string)) return;
    this.#isChosen = true;
    this.#violation = violation;
    this.#state.set(next);
  }
}

/** Only the fuses of others count for a new broker, and it blows them. */
function forgetProcesses(state: State, { process, processes, processBytes }: Layout): void {
  for (let index = 0; index < processes; index++) {
    const at = process[index] as number;
    state.fill(0, at + AT, at + processBytes);
  }
}
