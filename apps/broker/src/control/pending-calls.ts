/** Calls that wait for their answer, by number. */
export class PendingCalls<Answer> {
  readonly #waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
  #id = 0;
  #over: Error | undefined;

  /** `send` is given the number of the call. */
  start(send: (id: number) => void): Promise<Answer> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      send(id);
    });
  }

  resolve(id: number, answer: Answer): void {
    this.#waiting.get(id)?.resolve(answer);
    this.#waiting.delete(id);
  }

  reject(id: number, error: Error): void {
    this.#waiting.get(id)?.reject(error);
    this.#waiting.delete(id);
  }

  /** Nobody will answer any more. */
  end(error: Error): void {
    this.#over ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
