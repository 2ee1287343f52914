/** Values that are put in at one end and awaited at the other. */
export class EventQueue<T> {
  readonly #values: T[] = [];
  #end: { readonly error: Error | undefined } | undefined;
  #wake: () => void = () => {};

  push(value: T): void {
    this.#values.push(value);
    this.#wake();
  }

  /** No more values; with an error, whoever waits for one gets that. */
  end(error?: Error): void {
    this.#end ??= { error };
    this.#wake();
  }

  async *values(): AsyncGenerator<T, void> {
    for (;;) {
      const value = this.#values.shift();
      if (value !== undefined) yield value;
      else if (this.#end === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      } else if (this.#end.error === undefined) return;
      else throw this.#end.error;
    }
  }
}
