import type { Scheduler } from "../../packages/kaas-storage/src/testing/simulated/scheduler.js";

/** Lines that a report shows at most: what came last is what went wrong. */
const LINES_MAX = 2_000;

/** What happened, for people; and a checksum of all of it, for telling two runs of a seed apart. */
export class History {
  readonly lines: string[] = [];
  checksum = 0;
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  note(who: string, what: string): void {
    const line = `${this.#scheduler.now.toFixed(2).padStart(12)} ms  ${who.padEnd(10)} ${what}`;
    for (let index = 0; index < line.length; index++) {
      this.checksum = (Math.imul(this.checksum, 31) + line.charCodeAt(index)) | 0;
    }
    this.lines.push(line);
    if (this.lines.length > LINES_MAX) this.lines.splice(0, LINES_MAX / 2);
  }
}

/** An invariant does not hold. */
export class Violation extends Error {}
