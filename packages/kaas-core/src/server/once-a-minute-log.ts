import type { Clock } from "../ports/clock.js";
import type { Log, LogFields } from "../ports/log.js";

const INTERVAL_MS = 60_000;
/** Subjects remembered; beyond these the one heard of first is forgotten. */
const SUBJECTS_MAX = 1024;

interface Subject {
  loggedAtMs: number;
  unloggedCount: number;
}

/**
 * Warns once a minute for each subject, such as the address of a client that goes on sending nonsense, with the number
 * of times that went unsaid before.
 */
export class OnceAMinuteLog {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #subjects = new Map<string, Subject>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  warn(subject: string, fields: LogFields, message: string): void {
    const nowMs = this.#clock.monotonic();
    const known = this.#subjects.get(subject);
    if (known !== undefined && nowMs - known.loggedAtMs < INTERVAL_MS) {
      known.unloggedCount++;
      return;
    }
    const unlogged = known === undefined || known.unloggedCount === 0 ? {} : { unloggedCount: known.unloggedCount };
    this.#subjects.delete(subject);
    this.#subjects.set(subject, { loggedAtMs: nowMs, unloggedCount: 0 });
    this.#trim();
    this.#log.warn({ ...fields, ...unlogged }, message);
  }

  #trim(): void {
    if (this.#subjects.size <= SUBJECTS_MAX) return;
    const [oldest] = this.#subjects.keys();
    if (oldest !== undefined) this.#subjects.delete(oldest);
  }
}
