import type { RemovedStep } from "./removed-steps.js";
import { CRASHES_LEFT, ERRORS_LEFT, type Layout, layoutOf, MOVES_LEFT, PLACES, type State } from "./state.js";

/** How large the world is, and what may happen in it. Pauses and crashes of processes always may. */
export interface Configuration {
  readonly name: string;
  /** A partition's seal counts what lies in the older files; a slot's snapshot holds it. */
  readonly kind: "partition" | "slot";
  /** Each is one start of a broker: a restarted one is another process. */
  readonly processes: number;
  readonly epochs: number;
  /** Records that one epoch may append, at most 2. */
  readonly cells: number;
  /** Records of all epochs, at most 4. */
  readonly records: number;
  readonly serverCrashes: number;
  readonly fileErrors: number;
  /** Whether leaders hand over with a released marker. */
  readonly releases: boolean;
  /** Whether leaders remove files that they declared obsolete (a slot: compact their journal). */
  readonly disposals: boolean;
  /** Whether leaders remove what their seal does not name, and the claims, seals and markers before it. */
  readonly sweeps: boolean;
  /** Whether who gives up an epoch before it is sealed removes the claim. */
  readonly withdrawals: boolean;
  /** How many moves to another directory may begin. There nothing is obsolete, nothing fails, and an epoch has one record. */
  readonly moves: number;
}

const PLAIN = {
  kind: "partition",
  processes: 3,
  epochs: 3,
  cells: 1,
  records: 3,
  serverCrashes: 0,
  fileErrors: 0,
  releases: false,
  disposals: false,
  sweeps: false,
  withdrawals: false,
  moves: 0,
} as const;

/** A configuration, by what it has beyond three processes, three epochs and one record an epoch. */
export function configuration(name: string, beyond: Partial<Configuration>): Configuration {
  return { ...PLAIN, name, ...beyond };
}

/** What the whole protocol is searched in. */
export const CONFIGURATIONS: readonly Configuration[] = [
  configuration("four processes, four epochs, a crash of the server", { processes: 4, epochs: 4, serverCrashes: 1 }),
  configuration("two records an epoch, two crashes of the server", { cells: 2, serverCrashes: 2 }),
  configuration("hand-overs, a file error and a crash of the server", {
    cells: 2,
    serverCrashes: 1,
    fileErrors: 1,
    releases: true,
  }),
  configuration("two processes, four epochs, file errors", {
    processes: 2,
    epochs: 4,
    cells: 2,
    records: 4,
    serverCrashes: 1,
    fileErrors: 2,
  }),
  configuration("claims are withdrawn, a crash of the server", { withdrawals: true, sweeps: true, serverCrashes: 1 }),
  configuration("files are removed, four epochs", { epochs: 4, disposals: true, sweeps: true }),
  configuration("files are removed, hand-overs", { disposals: true, sweeps: true, releases: true }),
  configuration("files are removed, a crash of the server", { disposals: true, sweeps: true, serverCrashes: 1 }),
  configuration("a slot, two records an epoch, a file error", {
    kind: "slot",
    cells: 2,
    disposals: true,
    fileErrors: 1,
  }),
  configuration("a slot is swept and handed over", { kind: "slot", sweeps: true, releases: true }),
  configuration("a slot of two processes, a crash of the server", {
    kind: "slot",
    processes: 2,
    serverCrashes: 1,
    releases: true,
    disposals: true,
    sweeps: true,
  }),
  configuration("a partition moves, three processes", { moves: 1, records: 2, withdrawals: true }),
  configuration("a partition moves, and what it leaves is swept", {
    processes: 2,
    epochs: 4,
    records: 2,
    moves: 1,
    sweeps: true,
    withdrawals: true,
  }),
  configuration("a partition moves there and back", { processes: 2, epochs: 4, records: 1, moves: 2 }),
];

/** A few seconds' worth of it. */
export const SMALL_CONFIGURATIONS: readonly Configuration[] = [
  configuration("two leaders in turn, a crash of the server, a file error", {
    processes: 2,
    serverCrashes: 1,
    fileErrors: 1,
    withdrawals: true,
  }),
  configuration("files are removed", { processes: 2, disposals: true, sweeps: true }),
  configuration("a slot", { kind: "slot", processes: 2, disposals: true, sweeps: true }),
  configuration("a partition moves", { processes: 2, records: 1, moves: 1 }),
];

/** What every step is given: where it is, what is there, and whom to tell what comes next. */
export interface Model {
  readonly configuration: Configuration;
  readonly layout: Layout;
  /** The step that is left out, if any. */
  readonly without: RemovedStep | undefined;
}

export function modelOf(settings: Configuration, without?: RemovedStep): Model {
  return {
    configuration: settings,
    layout: layoutOf(settings.processes, settings.epochs, settings.moves > 0 ? 2 : 1),
    without,
  };
}

/** Nobody has claimed anything. */
export function initialState({ configuration: { serverCrashes, fileErrors, moves }, layout }: Model): State {
  const state = new Uint8Array(layout.bytes);
  state[CRASHES_LEFT] = serverCrashes;
  state[ERRORS_LEFT] = fileErrors;
  if (moves > 0) {
    state[PLACES] = 1;
    state[MOVES_LEFT] = moves;
  }
  return state;
}
