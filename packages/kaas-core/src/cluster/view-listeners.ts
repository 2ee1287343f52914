/** Who is told that a view of the cluster has changed. */
export class ViewListeners {
  readonly #callbacks = new Set<() => void>();

  /** Returns a function that takes the callback back. */
  add(callback: () => void): () => void {
    // Wrapped, so that one function may be given twice and each be taken back for itself.
    const entry = (): void => callback();
    this.#callbacks.add(entry);
    return () => this.#callbacks.delete(entry);
  }

  notify(): void {
    for (const callback of this.#callbacks) callback();
  }
}
