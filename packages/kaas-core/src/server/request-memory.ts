import { CONNECTION_FREE_BYTES, REQUEST_MEMORY_BYTES, type ServerLimits } from "./server-limits.js";

/** A connection, as far as the memory of its requests goes. */
export interface MemoryHolder {
  /** It may read again. */
  memoryFreed(): void;
}

/**
 * Counts the bytes of all requests between their first byte and their answer, and has reading pause beyond
 * `queued.max.request.bytes`. Nothing is dropped.
 *
 * A connection that holds no more than one read of a socket is never paused, so small requests pass at any time. Of
 * the others one at a time is favoured: it reads on in spite of the limit. Without that, connections that each hold
 * part of a frame could wait for each other for ever. The favour goes round, so that a client which stalls in the
 * middle of a frame does not keep it.
 */
export class RequestMemory {
  readonly #limits: ServerLimits;
  readonly #paused = new Set<MemoryHolder>();
  #favoured: MemoryHolder | undefined;
  #used = 0;

  constructor(limits: ServerLimits) {
    this.#limits = limits;
  }

  get usedBytes(): number {
    return this.#used;
  }

  /** How many connections wait for memory. */
  get pausedCount(): number {
    return this.#paused.size;
  }

  /** Takes note that what `holder` holds went from `before` to `after` bytes; answers whether it may read on. */
  change(holder: MemoryHolder, before: number, after: number): boolean {
    this.#used += after - before;
    if (after <= CONNECTION_FREE_BYTES || !this.#isShort()) {
      this.#forget(holder);
      if (after < before) this.#wake();
      return true;
    }
    this.#favoured ??= holder;
    if (this.#favoured === holder) {
      this.#paused.delete(holder);
      return true;
    }
    this.#paused.add(holder);
    return false;
  }

  /** A connection is gone with all that it held. */
  release(holder: MemoryHolder, held: number): void {
    this.#used -= held;
    this.#forget(holder);
    this.#wake();
  }

  /** Hands the favour on; called now and then. */
  rotate(): void {
    const [next] = this.#paused;
    if (next === undefined) return;
    const previous = this.#favoured;
    this.#favoured = next;
    this.#paused.delete(next);
    if (previous !== undefined) this.#paused.add(previous);
    next.memoryFreed();
  }

  #isShort(): boolean {
    const limit = this.#limits.queuedMaxRequestBytes;
    return this.#used >= (limit > 0 ? limit : REQUEST_MEMORY_BYTES);
  }

  #forget(holder: MemoryHolder): void {
    this.#paused.delete(holder);
    if (this.#favoured === holder) this.#favoured = undefined;
  }

  #wake(): void {
    if (this.#paused.size === 0) return;
    if (this.#isShort()) {
      if (this.#favoured === undefined) this.rotate();
      return;
    }
    const woken = [...this.#paused];
    this.#paused.clear();
    for (const holder of woken) holder.memoryFreed();
  }
}
