import type { HeartbeatReport, LedPartition } from "./heartbeat.js";

/**
 * What a broker leads, and which part of that the controller has not been told yet. A whole report is made for each new
 * controller, on each new connection, and when the controller has missed one.
 */
export class LedChanges {
  readonly #led = new Map<string, LedPartition>();
  readonly #changed = new Set<string>();
  #sequence = 0;
  #isWholeNext = true;

  /** The partition was claimed, and is served. */
  opened(topicId: string, partition: number, leaderEpoch: number): void {
    const key = `${topicId}:${partition}`;
    if (this.#led.get(key)?.leaderEpoch === leaderEpoch) return;
    this.#led.set(key, { topicId, partition, leaderEpoch });
    this.#changed.add(key);
  }

  /** The partition is served no longer. */
  closed(topicId: string, partition: number): void {
    const key = `${topicId}:${partition}`;
    const led = this.#led.get(key);
    if (led === undefined) return;
    this.#led.set(key, { ...led, leaderEpoch: -1 });
    this.#changed.add(key);
  }

  /** Whether there is something that the controller does not know. */
  get hasNews(): boolean {
    return this.#isWholeNext || this.#changed.size > 0;
  }

  /** Begins anew: the next report says everything. */
  restart(): void {
    this.#isWholeNext = true;
  }

  /** The part of the next report that says what is led. */
  next(): Pick<HeartbeatReport, "sequence" | "isWhole" | "led"> {
    const isWhole = this.#isWholeNext;
    const keys = isWhole ? this.#led.keys() : this.#changed;
    const led = [...keys].flatMap((key) => this.#led.get(key) ?? []);
    for (const key of this.#changed) if (this.#led.get(key)?.leaderEpoch === -1) this.#led.delete(key);
    this.#changed.clear();
    this.#isWholeNext = false;
    const told = isWhole ? led.filter(({ leaderEpoch }) => leaderEpoch >= 0) : led;
    return { sequence: this.#sequence++, isWhole, led: told };
  }
}
