import {
  AT,
  CLAIM,
  CLAIM_OWNER,
  COPIED_MAX,
  COPIED_RECORDS,
  cellOf,
  DURABLE,
  FILE,
  FILE_WRITER_SHIFT,
  LATE_BLOWS,
  type Layout,
  OFFSETS_MAX,
  placeOf,
  recordEpoch,
  recordOf,
  recordWriter,
  SHOWN,
  type State,
  TO_BLOW,
  VISIBLE,
  withCell,
} from "./state.js";

/**
 * Processes are alike: states that differ in who is who are one state. They are put in the order of where they stand;
 * those that stand alike, in the order of what they claimed.
 */
export class Symmetry {
  readonly #layout: Layout;
  readonly #fixed: number;
  readonly #copy: State;
  /** Who stands at each place now: the process that stood there before is `order[place]`. */
  readonly order: number[] = [];

  /** @param fixed processes at the beginning that are not alike, so that they keep their places */
  constructor(layout: Layout, fixed: number) {
    this.#layout = layout;
    this.#fixed = fixed;
    this.#copy = new Uint8Array(layout.bytes);
    for (let process = 0; process <= layout.processes; process++) this.order.push(process);
  }

  /** Puts a state into its order, in place. */
  apply(state: State): void {
    const { order } = this;
    const { processes } = this.#layout;
    let isOrdered = true;
    for (let place = 0; place < processes; place++) order[place] = place;
    for (let place = this.#fixed + 1; place < processes; place++) {
      const process = order[place] as number;
      let to = place;
      while (to > this.#fixed && this.#compare(state, order[to - 1] as number, process) > 0) {
        order[to] = order[to - 1] as number;
        to--;
      }
      order[to] = process;
      if (to !== place) isOrdered = false;
    }
    if (!isOrdered) this.#permute(state);
  }

  #compare(state: State, one: number, other: number): number {
    const { process, processBytes, epoch } = this.#layout;
    const a = placeOf(process, one);
    const b = placeOf(process, other);
    for (let field = AT; field < processBytes; field++) {
      if (field === TO_BLOW) continue;
      const difference = (state[b + field] as number) - (state[a + field] as number);
      if (difference !== 0) return difference;
    }
    for (let index = 1; index < epoch.length; index++) {
      if (!this.#isStored(index)) continue;
      const owner = ((state[placeOf(epoch, index) + CLAIM] as number) & CLAIM_OWNER) - 1;
      if (owner === one) return -1;
      if (owner === other) return 1;
    }
    return 0;
  }

  /** Of a directory's places for epochs the first stands for none, and the last for the one of who starts afresh. */
  #isStored(index: number): boolean {
    const { epochs } = this.#layout;
    const epoch = index % (epochs + 2);
    return epoch > 0 && epoch <= epochs;
  }

  #permute(state: State): void {
    const { process, processes, processBytes, epoch, directories } = this.#layout;
    const { order } = this;
    const copy = this.#copy;
    copy.set(state);
    const places: number[] = [0];
    for (let place = 0; place < processes; place++) places[(order[place] as number) + 1] = place + 1;
    places.push(processes + 1);
    for (let place = 0; place < processes; place++) {
      const from = placeOf(process, order[place] as number);
      const to = placeOf(process, place);
      for (let field = AT; field < processBytes; field++) state[to + field] = copy[from + field] as number;
      state[to + TO_BLOW] = permuteBits(state[to + TO_BLOW] as number, places);
    }
    state[LATE_BLOWS] = permuteBits(state[LATE_BLOWS] as number, places);
    for (let index = 1; index < epoch.length; index++) {
      if (!this.#isStored(index)) continue;
      permuteEpoch(state, placeOf(epoch, index), places);
      if (directories > 1) permuteCopies(state, placeOf(epoch, index), places);
    }
    for (let at = SHOWN; at < SHOWN + OFFSETS_MAX; at++) {
      const record = state[at] as number;
      state[at] = recordOf(recordEpoch(record), placeOf(places, recordWriter(record)));
    }
  }
}

/** @param places where each process goes, both + 1; nobody (0) stays nobody */
function permuteEpoch(state: State, at: number, places: readonly number[]): void {
  const claim = state[at + CLAIM] as number;
  state[at + CLAIM] = (claim & ~CLAIM_OWNER) | placeOf(places, claim & CLAIM_OWNER);
  const file = state[at + FILE] as number;
  const flags = file & ((1 << FILE_WRITER_SHIFT) - 1);
  state[at + FILE] = flags | (placeOf(places, file >> FILE_WRITER_SHIFT) << FILE_WRITER_SHIFT);
  for (const field of [VISIBLE, DURABLE]) {
    let cells = state[at + field] as number;
    for (let cell = 0; cell < 2; cell++) cells = withCell(cells, cell, placeOf(places, cellOf(cells, cell)));
    state[at + field] = cells;
  }
}

function permuteCopies(state: State, at: number, places: readonly number[]): void {
  for (let copied = at + COPIED_RECORDS; copied < at + COPIED_RECORDS + COPIED_MAX; copied++) {
    const record = state[copied] as number;
    state[copied] = recordOf(recordEpoch(record), placeOf(places, recordWriter(record)));
  }
}

function permuteBits(bits: number, places: readonly number[]): number {
  let permuted = 0;
  for (let process = 0; 1 << process <= bits; process++) {
    if ((bits & (1 << process)) !== 0) permuted |= 1 << (placeOf(places, process + 1) - 1);
  }
  return permuted;
}
