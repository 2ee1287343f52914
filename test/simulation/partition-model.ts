import type { History } from "./history.js";
import { Violation } from "./history.js";

/** How sure a record is. What is only written may go when power is lost or a file fails. */
type Safety = "durable" | "written";

interface Claim {
  readonly value: string;
  /** The leader's epoch that it was learned at. */
  readonly epoch: number;
  readonly safety: Safety;
}

export interface ModelOptions {
  readonly name: string;
  /** Whether acks=all stands for an fsync. */
  readonly isDurable: boolean;
  /** Whether the log start may move by itself. */
  readonly hasRetention: boolean;
}

/** What clients of one partition have been told, and with that, what must remain true. */
export class PartitionModel {
  readonly name: string;
  readonly isDurable: boolean;
  readonly #hasRetention: boolean;
  readonly #history: History;
  /** By offset. */
  readonly #claims = new Map<number, Claim>();
  readonly #offsets = new Map<string, number>();
  /** The highest that each epoch has shown. */
  readonly #highWatermarks = new Map<number, number>();
  #logStartOffset = 0;
  #logStartEpoch = -1;
  /** Up to where somebody asked for records to be deleted. */
  #deletedTo = 0;
  #leaderEpoch = -1;
  #isDoubtful = false;

  constructor(history: History, { name, isDurable, hasRetention }: ModelOptions) {
    this.#history = history;
    this.name = name;
    this.isDurable = isDurable;
    this.#hasRetention = hasRetention;
  }

  get claimCount(): number {
    return this.#claims.size;
  }

  /** The newest epoch that anybody has opened the log at. */
  get leaderEpoch(): number {
    return this.#leaderEpoch;
  }

  /** An append was acknowledged. */
  acknowledged(epoch: number, offset: number, values: readonly string[], acks: -1 | 1): void {
    this.#history.note(this.name, `acks=${acks} epoch ${epoch} offset ${offset}: ${values.join(" ")}`);
    this.#led(epoch);
    const safety = acks === -1 && this.isDurable ? "durable" : "written";
    for (const [index, value] of values.entries()) this.#claim(epoch, offset + index, value, safety, "acknowledged");
    if (acks === -1) this.#shown(epoch, offset + values.length);
  }

  /** A consumer, or whoever opened the log, has read a record. It will rely on it. */
  consumed(epoch: number, offset: number, value: string): void {
    this.#claim(epoch, offset, value, this.isDurable ? "durable" : "written", "read");
  }

  deleting(offset: number): void {
    this.#deletedTo = Math.max(this.#deletedTo, offset);
  }

  opened(epoch: number, highWatermark: number): void {
    if (this.#highWatermarks.has(epoch)) this.#violated(`epoch ${epoch} was opened twice`);
    if (this.#isDoubtful) this.writtenMayBeGone();
    this.#isDoubtful = false;
    for (const [before, shown] of this.#highWatermarks) {
      if (before < epoch && shown > highWatermark) {
        this.#violated(`the high watermark went back from ${shown} at epoch ${before} to ${highWatermark} at ${epoch}`);
      }
    }
    this.#leaderEpoch = Math.max(this.#leaderEpoch, epoch);
    this.#highWatermarks.set(epoch, highWatermark);
  }

  /** Offsets that a leader shows. */
  watermarks(epoch: number, logStartOffset: number, highWatermark: number): void {
    this.#led(epoch);
    const shown = this.#highWatermarks.get(epoch) ?? 0;
    if (highWatermark < shown) this.#violated(`the high watermark went back from ${shown} to ${highWatermark}`);
    if (logStartOffset < this.#logStartOffset && epoch >= this.#logStartEpoch) {
      this.#violated(`the log start went back from ${this.#logStartOffset} to ${logStartOffset}`);
    }
    if (logStartOffset > highWatermark) this.#violated(`the log starts at ${logStartOffset}, behind ${highWatermark}`);
    if (!this.#hasRetention && logStartOffset > this.#deletedTo) {
      this.#violated(`the log starts at ${logStartOffset}, and nobody deleted beyond ${this.#deletedTo}`);
    }
    this.#shown(epoch, highWatermark);
    if (logStartOffset <= this.#logStartOffset) return; // the same, or what a deposed leader knows
    this.#logStartOffset = logStartOffset;
    this.#logStartEpoch = epoch;
  }

  /**
   * Everything that was read from the log start to the high watermark, in one go. Where appends are going on, what was
   * written may lie behind it.
   */
  read(
    epoch: number,
    logStartOffset: number,
    highWatermark: number,
    records: readonly { offset: number; value: string }[],
    isQuiet: boolean,
  ): void {
    let expected = logStartOffset;
    const found = new Map<number, string>();
    for (const { offset, value } of records) {
      if (offset !== expected) this.#violated(`offset ${offset} follows ${expected - 1}`);
      expected = offset + 1;
      found.set(offset, value);
    }
    if (expected !== highWatermark)
      this.#violated(`the log ends at ${expected}, its high watermark is ${highWatermark}`);
    for (const [offset, { value, epoch: since }] of this.#claims) {
      // A leader that has been deposed knows nothing of what its successors acknowledge.
      if (since > epoch || offset < logStartOffset || (offset >= highWatermark && !isQuiet)) continue;
      const there = found.get(offset);
      if (there === undefined)
        this.#violated(`offset ${offset} (${value}) is lost; the log is ${logStartOffset}…${highWatermark}`);
      if (there !== value) this.#violated(`offset ${offset} was ${value}, and is ${there} now`);
    }
    for (const { offset, value } of records) this.consumed(epoch, offset, value);
  }

  /** Power was lost, or a file failed: what had only been written may be gone. */
  writtenMayBeGone(): void {
    // Until the log is opened anew, it may still show what is gone.
    this.#isDoubtful = true;
    for (const [offset, { value, safety }] of this.#claims) {
      if (safety === "durable") continue;
      this.#claims.delete(offset);
      this.#offsets.delete(value);
    }
    if (!this.isDurable) this.#highWatermarks.clear();
  }

  /** A log that was recovered without having been opened is one whose files have failed. */
  #led(epoch: number): void {
    if (epoch <= this.#leaderEpoch) return;
    this.#leaderEpoch = epoch;
    this.writtenMayBeGone();
  }

  #shown(epoch: number, highWatermark: number): void {
    this.#highWatermarks.set(epoch, Math.max(highWatermark, this.#highWatermarks.get(epoch) ?? 0));
  }

  #claim(epoch: number, offset: number, value: string, safety: Safety, how: string): void {
    const why = `${how} at epoch ${epoch}`;
    const known = this.#claims.get(offset);
    if (known !== undefined && known.value !== value) {
      this.#violated(`offset ${offset} is ${value} (${why}), and was ${known.value}`);
    }
    const elsewhere = this.#offsets.get(value);
    if (elsewhere !== undefined && elsewhere !== offset) {
      this.#violated(`${value} is at ${offset} (${why}), and at ${elsewhere}`);
    }
    if (known?.safety === "durable") return;
    this.#claims.set(offset, { value, safety, epoch: Math.min(epoch, known?.epoch ?? epoch) });
    this.#offsets.set(value, offset);
  }

  #violated(message: string): never {
    throw new Violation(`${this.name}: ${message}`);
  }
}
