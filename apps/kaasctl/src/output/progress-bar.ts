import type { Progress } from "@kaas/storage";
import type { Surroundings } from "../surroundings.js";
import { shownBytes } from "./shown.js";

/** What is done in less is over before it could be read. */
const SHOWN_AFTER_MS = 500;
const INTERVAL_MS = 100;
const BAR_WIDTH = 24;

/** Says on standard error how far a long scan has come, where that is a terminal. */
export class ProgressBar {
  readonly #surroundings: Surroundings;
  readonly #startedMs: number;
  #shownMs: number;
  #isShown = false;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.#startedMs = surroundings.monotonic();
    this.#shownMs = this.#startedMs + SHOWN_AFTER_MS - INTERVAL_MS;
  }

  /** Cheap to call: most calls only look at the clock. */
  update(progress: Progress): void {
    const { err } = this.#surroundings;
    if (!err.isTerminal) return;
    const now = this.#surroundings.monotonic();
    if (now - this.#shownMs < INTERVAL_MS) return;
    this.#shownMs = now;
    this.#isShown = true;
    const line = progressLine(progress, now - this.#startedMs).slice(0, Math.max(20, (err.columns ?? 80) - 1));
    void err.write(`\r\u001b[K${line}`);
  }

  /** Takes the bar away. */
  async clear(): Promise<void> {
    if (this.#isShown) await this.#surroundings.err.write("\r\u001b[K");
  }
}

/** `[####----]  50%  1.0 GiB of 2.0 GiB, 500.0 MiB/s  orders/3`. */
export function progressLine({ at, done, total }: Progress, elapsedMs: number): string {
  const known = Math.max(total, done, 1);
  const full = Math.floor((done / known) * BAR_WIDTH);
  const bar = `[${"#".repeat(full)}${"-".repeat(BAR_WIDTH - full)}]`;
  const percent = String(Math.floor((done / known) * 100)).padStart(3);
  const rate = shownBytes(Math.round((done * 1_000) / Math.max(1, elapsedMs)));
  return `${bar} ${percent}%  ${shownBytes(done)} of ${shownBytes(known)}, ${rate}/s  ${at}`;
}
