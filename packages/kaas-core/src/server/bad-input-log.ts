import type { Clock } from "../ports/clock.js";
import type { Log, LogFields } from "../ports/log.js";

const INTERVAL_MS = 60_000;
/** Addresses remembered; beyond these the one heard of first is forgotten. */
const ADDRESSES_MAX = 1024;

interface Offender {
  loggedAtMs: number;
  unloggedCount: number;
}

/** Says what clients do wrong: once a minute for each address, with the number of times that went unsaid before. */
export class BadInputLog {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #offenders = new Map<string, Offender>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  warn(remoteAddress: string, fields: LogFields, message: string): void {
    const nowMs = this.#clock.monotonic();
    const offender = this.#offenders.get(remoteAddress);
    if (offender !== undefined && nowMs - offender.loggedAtMs < INTERVAL_MS) {
      offender.unloggedCount++;
      return;
    }
    const unlogged = offender === undefined ? {} : { unloggedCount: offender.unloggedCount };
    this.#offenders.delete(remoteAddress);
    this.#offenders.set(remoteAddress, { loggedAtMs: nowMs, unloggedCount: 0 });
    this.#trim();
    this.#log.warn({ remoteAddress, ...fields, ...unlogged }, message);
  }

  #trim(): void {
    if (this.#offenders.size <= ADDRESSES_MAX) return;
    const [oldest] = this.#offenders.keys();
    if (oldest !== undefined) this.#offenders.delete(oldest);
  }
}
