import type { Configuration, Model } from "./configuration.js";
import type { RemovedStep } from "./removed-steps.js";
import { AT, DIRECTORY, FUSE, IDLE, type Layout, placeOf, SEAL, type State } from "./state.js";

/** What happens in one step, for traces: a kind, who does it, and a number that the kind explains. */
export const ACTIONS = [
  "claims",
  "learns that its claim is durable, and lists again",
  "loses its claim",
  "lists again",
  "blows the fuse of",
  "blow arrives",
  "lists seals, markers and manifests",
  "scans the tail",
  "rewrites the tail and syncs it",
  "finds the tail removed",
  "seals",
  "finds that its epoch is sealed by another",
  "reads its fuse before it shows anything",
  "shows what its seal holds",
  "appends",
  "write-back",
  "syncs",
  "reads its fuse",
  "acknowledges",
  "fails to write",
  "hands over",
  "declares obsolete",
  "reads its fuse before it removes",
  "removes the file of epoch",
  "sweeps the file of epoch",
  "sweeps older claims, seals and markers",
  "cannot read the log, and gives up",
  "withdraws its claim",
  "the file server crashes",
  "fills its claim",
  "is told that the topic lies in directory",
  "the topic is said to lie in directory",
  "copies while it serves",
  "discards its copy",
  "hands over to move",
  "copies what is left",
  "claims, to depart,",
  "gives up its move",
  "seals that it went",
  "reads its fuse before it notes that it went",
  "notes that it went, at epoch",
  "follows it",
  "sweeps the other directory",
] as const;
export type Action = (typeof ACTIONS)[number];

export const NOBODY = 15;

/** Told every state that can come next. The bytes are the stepper's own and change with the next call. */
export type Visit = (next: State, action: number, violation: string | undefined) => void;

/** One state, and the states that follow it. */
export class Stepper {
  readonly model: Model;
  readonly configuration: Configuration;
  readonly layout: Layout;
  readonly without: RemovedStep | undefined;
  /** The last epoch that can be claimed, and records beyond the bound: more of both when a broker starts afresh. */
  epochsMax: number;
  spareRecords = 0;
  /** The directory that epochs are looked up in. */
  directory = 0;
  readonly now: State;
  readonly next: State;
  readonly #visit: Visit;
  /** Steps emitted so far from `now`. */
  count = 0;

  constructor(model: Model, visit: Visit) {
    this.model = model;
    this.configuration = model.configuration;
    this.layout = model.layout;
    this.without = model.without;
    this.epochsMax = model.layout.epochs;
    this.now = new Uint8Array(model.layout.bytes);
    this.next = new Uint8Array(model.layout.bytes);
    this.#visit = visit;
  }

  /** Begins a step: `next` is what is now, to be changed. */
  begin(): State {
    this.next.set(this.now);
    return this.next;
  }

  /** Ends it. */
  emit(action: Action, process: number, detail = 0, violation?: string): void {
    this.count++;
    this.#visit(this.next, (ACTION_NUMBER.get(action) as number) | (process << 8) | (detail << 12), violation);
  }

  process(process: number): number {
    return placeOf(this.layout.process, process);
  }

  epoch(epoch: number): number {
    return this.epochIn(this.directory, epoch);
  }

  /** Where an epoch's fields are in a directory. */
  epochIn(directory: number, epoch: number): number {
    return placeOf(this.layout.epoch, directory * (this.layout.epochs + 2) + epoch);
  }

  get isMoving(): boolean {
    return this.layout.directories > 1;
  }

  /** The process leads nothing and wants nothing; its fuse stays as it is. */
  reset(at: number, where: number = IDLE): void {
    this.startOver(at, where);
    if (this.isMoving) this.next.fill(0, at + DIRECTORY, at + this.layout.processBytes);
  }

  /** The same, but it knows where the partition is, and what came along from where it was. */
  startOver(at: number, where: number): void {
    this.next.fill(0, at + AT, at + FUSE);
    this.next[at + AT] = where;
  }

  /** A field of what is now. */
  read(place: number): number {
    return this.now[place] as number;
  }
}

const ACTION_NUMBER: ReadonlyMap<Action, number> = new Map(ACTIONS.map((action, index) => [action, index]));

/** The newest epoch that is sealed, below a bound; 0 if none is. */
export function newestSeal(stepper: Stepper, state: State, below: number, seal: number): number {
  for (let epoch = below - 1; epoch > 0; epoch--) {
    if (state[stepper.epoch(epoch) + seal] !== 0) return epoch;
  }
  return 0;
}

/** Whether somebody else has sealed the epoch that a process is about to seal; then that is the step. */
export function findsSealed(stepper: Stepper, process: number, epoch: number): boolean {
  if (stepper.next[stepper.epoch(epoch) + SEAL] === 0) return false;
  stepper.reset(stepper.process(process));
  stepper.emit("finds that its epoch is sealed by another", process, epoch);
  return true;
}
