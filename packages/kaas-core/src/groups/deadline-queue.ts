import type { Clock, Timer } from "../ports/clock.js";

/** Deadlines are rounded up to this grid, so that many of them share one wake-up. */
const RESOLUTION_MS = 10;

const NEVER = Number.POSITIVE_INFINITY;

/** A moment at which something happens unless it is moved or cancelled first. Made by {@link DeadlineQueue.create}. */
export class Deadline {
  readonly #queue: DeadlineQueue;
  readonly expire: () => void;
  /** When it is due. */
  dueAt: number = NEVER;
  /** Its key in the queue's heap: never later than `dueAt`. */
  queuedAt: number = NEVER;
  /** Its place in the queue's heap; −1 while it is not there. */
  index = -1;

  constructor(queue: DeadlineQueue, expire: () => void) {
    this.#queue = queue;
    this.expire = expire;
  }

  get pending(): boolean {
    return this.index >= 0;
  }

  /** Sets the deadline, or moves it. */
  schedule(delayMs: number): void {
    this.#queue.schedule(this, delayMs);
  }

  cancel(): void {
    this.#queue.cancel(this);
  }
}

/**
 * Many deadlines at the price of one clock timer: a heap by time. A session that is extended by every heartbeat stays
 * where it is and is put back when its old time comes, so that a heartbeat costs one assignment.
 */
export class DeadlineQueue {
  readonly #clock: Clock;
  readonly #heap: Deadline[] = [];
  #timer: Timer | undefined;
  #wakesAt: number = NEVER;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  create(expire: () => void): Deadline {
    return new Deadline(this, expire);
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Forgets every deadline; nothing expires any more. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const deadline of this.#heap) deadline.index = -1;
    this.#heap.length = 0;
  }

  schedule(deadline: Deadline, delayMs: number): void {
    if (this.#isClosed) return;
    const dueAt = Math.ceil((this.#clock.monotonic() + delayMs) / RESOLUTION_MS) * RESOLUTION_MS;
    deadline.dueAt = dueAt;
    if (deadline.index < 0) {
      this.#push(deadline);
    } else if (dueAt < deadline.queuedAt) {
      deadline.queuedAt = dueAt;
      this.#rise(deadline);
    }
    this.#arm();
  }

  cancel(deadline: Deadline): void {
    if (deadline.index >= 0) this.#remove(deadline);
  }

  #arm(): void {
    const earliest = this.#heap[0]?.queuedAt ?? NEVER;
    if (earliest === NEVER || this.#wakesAt <= earliest) return;
    this.#timer?.cancel();
    this.#wakesAt = earliest;
    this.#timer = this.#clock.schedule(Math.max(0, earliest - this.#clock.monotonic()), () => this.#wake());
  }

  #wake(): void {
    this.#timer = undefined;
    this.#wakesAt = NEVER;
    const now = this.#clock.monotonic();
    try {
      for (let first = this.#heap[0]; first !== undefined && first.queuedAt <= now; first = this.#heap[0]) {
        this.#remove(first);
        if (first.dueAt > now) this.#push(first);
        else first.expire();
      }
    } finally {
      if (!this.#isClosed) this.#arm();
    }
  }

  #push(deadline: Deadline): void {
    deadline.queuedAt = deadline.dueAt;
    deadline.index = this.#heap.length;
    this.#heap.push(deadline);
    this.#rise(deadline);
  }

  #remove(deadline: Deadline): void {
    const last = this.#heap.pop();
    const index = deadline.index;
    deadline.index = -1;
    if (last === undefined || last === deadline) return;
    this.#heap[index] = last;
    last.index = index;
    this.#rise(last);
    this.#sink(last);
  }

  #rise(deadline: Deadline): void {
    const heap = this.#heap;
    let index = deadline.index;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = heap[parentIndex] as Deadline;
      if (parent.queuedAt <= deadline.queuedAt) break;
      heap[index] = parent;
      parent.index = index;
      index = parentIndex;
    }
    heap[index] = deadline;
    deadline.index = index;
  }

  #sink(deadline: Deadline): void {
    const heap = this.#heap;
    let index = deadline.index;
    for (;;) {
      let childIndex = index * 2 + 1;
      const left = heap[childIndex];
      if (left === undefined) break;
      const right = heap[childIndex + 1];
      let child = left;
      if (right !== undefined && right.queuedAt < left.queuedAt) {
        child = right;
        childIndex++;
      }
      if (deadline.queuedAt <= child.queuedAt) break;
      heap[index] = child;
      child.index = index;
      index = childIndex;
    }
    heap[index] = deadline;
    deadline.index = index;
  }
}
