import { type Cycle, releaseBuffers } from "./cycle.js";
import { Fifo } from "./fifo.js";
import type { PendingAppend } from "./pending-append.js";
import type { QueueMemory } from "./queue-memory.js";

/** The appends of a log that no group has taken yet, and the memory that those have which are not written. */
export class AppendQueue {
  readonly waiting: Fifo<PendingAppend> = new Fifo();
  readonly #memory: QueueMemory;
  #heldBytes = 0;

  constructor(memory: QueueMemory) {
    this.#memory = memory;
  }

  /** Whether so many bytes more may wait. */
  hasRoom(bytes: number): boolean {
    return this.#memory.hasRoom(this.#heldBytes, bytes);
  }

  push(append: PendingAppend): void {
    this.waiting.push(append);
    this.#hold(append.buffer.length);
  }

  /** A group has been written, or never will be. */
  written(cycle: Cycle): void {
    this.#hold(-cycle.bytes);
    releaseBuffers(cycle);
  }

  /** What waits has been answered and will not be written. */
  drop(): void {
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      this.#hold(-next.buffer.length);
      next.memory?.release();
    }
  }

  #hold(bytes: number): void {
    this.#heldBytes += bytes;
    this.#memory.change(bytes);
  }
}
