/** Something that has work to do at the end of the tick. */
export interface Ticked {
  /** Set while it waits for its turn; kept by the queue. */
  isScheduled: boolean;
  turn(): void;
}

/**
 * Gives each of many objects one turn when the current tick's promises have settled: answers that become ready
 * together, as after a commit, leave together.
 */
export class TickQueue {
  #scheduled: Ticked[] = [];
  readonly #run = (): void => {
    const scheduled = this.#scheduled;
    this.#scheduled = [];
    for (const ticked of scheduled) {
      ticked.isScheduled = false;
      ticked.turn();
    }
  };

  schedule(ticked: Ticked): void {
    if (ticked.isScheduled) return;
    ticked.isScheduled = true;
    if (this.#scheduled.push(ticked) === 1) process.nextTick(this.#run);
  }
}
