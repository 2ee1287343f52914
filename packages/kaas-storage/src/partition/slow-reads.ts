import type { Stallable } from "../leadership/stall-watch.js";

/** Reads that the event loop does not wait for, of all logs of a volume: nobody waits for one that hangs. */
export class SlowReads implements Stallable {
  #running = 0;
  #progress = 0;
  readonly #waiting = new Set<() => void>();

  get isBusy(): boolean {
    return this.#running > 0;
  }

  get progress(): number {
    return this.#progress;
  }

  stalled(): void {
    for (const giveUp of this.#waiting) giveUp();
    this.#waiting.clear();
  }

  /**
   * Settles as the read does, or with `instead` once the disk has not answered for too long. What the disk comes with
   * after that is handed to `drop`.
   */
  wait<Result>(reading: Promise<Result>, instead: () => Result, drop: (late: Result) => void): Promise<Result> {
    this.#running++;
    return new Promise((resolve) => {
      let isGivenUp = false;
      const giveUp = (): void => {
        isGivenUp = true;
        resolve(instead());
      };
      this.#waiting.add(giveUp);
      const ended = (): void => {
        this.#running--;
        this.#progress++;
        this.#waiting.delete(giveUp);
      };
      reading.then(
        (result) => {
          ended();
          if (isGivenUp) drop(result);
          else resolve(result);
        },
        () => {
          ended();
          resolve(reading); // which rejects
        },
      );
    });
  }
}
