/** Something that has work to do a little later. */
export interface Ticked {
  /** Set while it waits for its turn; kept by the queue. */
  isScheduled: boolean;
  turn(): void;
}

/** Gives each of many objects one turn later, all of them together. */
export class TickQueue {
  readonly #defer: (run: () => void) => void;
  #scheduled: Ticked[] = [];
  readonly #run = (): void => {
    const scheduled = this.#scheduled;
    this.#scheduled = [];
    for (const ticked of scheduled) {
      ticked.isScheduled = false;
      ticked.turn();
    }
  };

  constructor(defer: (run: () => void) => void) {
    this.#defer = defer;
  }

  schedule(ticked: Ticked): void {
    if (ticked.isScheduled) return;
    ticked.isScheduled = true;
    if (this.#scheduled.push(ticked) === 1) this.#defer(this.#run);
  }
}
