/**
 * Whether the API server can be reached, as those find out who ask it for something: one of them that reaches it again
 * spares the others the rest of their waits. Each process has one for each API server.
 */
export class ServerPresence {
  #isAway = false;
  readonly #waiting = new Set<() => void>();

  /** An answer came. */
  reached(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    for (const wake of [...this.#waiting]) wake();
  }

  /** No answer came. */
  missed(): void {
    this.#isAway = true;
  }

  /** Calls when the server, having been away, has answered anybody. Returns a function that takes it back. */
  onReturn(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => void this.#waiting.delete(wake);
  }
}
