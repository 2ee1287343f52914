/** How long a count that nobody adds to is kept; Kafka's own limit. */
const IDLE_MS_MAX = 3_600_000;
/** How many counts are kept: client ids are the clients' to choose. */
const SENSORS_MAX = 50_000;
/** How often those that are idle are looked for. */
const SWEEP_INTERVAL_MS = 60_000;

/** Counts by who shares them. Those that are idle are forgotten, and the oldest where there are too many. */
export class Sensors<Sensor extends { readonly usedAtMs: number }> {
  readonly #make: (nowMs: number) => Sensor;
  readonly #byKey = new Map<string, Sensor>();
  #sweptAtMs = 0;

  constructor(make: (nowMs: number) => Sensor) {
    this.#make = make;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** The count of a key; a new one if there is none. */
  at(key: string, nowMs: number): Sensor {
    if (nowMs - this.#sweptAtMs >= SWEEP_INTERVAL_MS) this.#sweep(nowMs);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    if (this.#byKey.size >= SENSORS_MAX) {
      for (const oldest of this.#byKey.keys()) {
        this.#byKey.delete(oldest);
        break;
      }
    }
    const made = this.#make(nowMs);
    this.#byKey.set(key, made);
    return made;
  }

  #sweep(nowMs: number): void {
    this.#sweptAtMs = nowMs;
    for (const [key, sensor] of this.#byKey) {
      if (nowMs - sensor.usedAtMs >= IDLE_MS_MAX) this.#byKey.delete(key);
    }
  }
}
