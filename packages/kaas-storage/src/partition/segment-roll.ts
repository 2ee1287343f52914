import type { ActiveSegment } from "./active-segment.js";

/** The change from one segment to the next, and those who wait for one. */
export class SegmentRoll {
  readonly #roll: (previous: ActiveSegment | undefined) => Promise<void>;
  readonly #failed: (error: unknown) => void;
  #waiters: (() => void)[] = [];
  #isRunning = false;

  /** `roll` makes the next segment; `failed` is told why it could not. */
  constructor(roll: (previous: ActiveSegment | undefined) => Promise<void>, failed: (error: unknown) => void) {
    this.#roll = roll;
    this.#failed = failed;
  }

  /** Nothing may be appended meanwhile. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Whether somebody wants the active segment closed though it is not full. */
  get isWanted(): boolean {
    return this.#waiters.length > 0;
  }

  /** Resolves once a roll that begins from now on has ended. */
  wanted(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  /** Resolves, whatever becomes of it. */
  async start(previous: ActiveSegment | undefined): Promise<void> {
    this.#isRunning = true;
    try {
      await this.#roll(previous);
      this.tellWaiting();
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#isRunning = false;
    }
  }

  tellWaiting(): void {
    const waiting = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiting) resolve();
  }
}
