/** Runs steps one after another, so that each sees what the one before it did. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves or rejects as the step does; a step that fails does not hold up the next. */
  run<Result>(step: () => Promise<Result>): Promise<Result> {
    const running = this.#last.then(step);
    this.#last = running.catch(() => {});
    return running;
  }
}
