import type { Chance } from "./chance.js";

interface Event {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * Simulated time. Everything that takes time is an event here, and one event runs after the other, each followed by
 * all the microtasks it leads to: nothing else decides the order of things, so a seed decides all of it.
 */
export class Scheduler {
  readonly chance: Chance;
  /** Milliseconds since the beginning of the simulation. */
  now = 0;
  /** Events that have run. */
  count = 0;
  #orders = 0;
  /** A binary heap, the next event first. */
  readonly #events: Event[] = [];

  constructor(chance: Chance) {
    this.chance = chance;
  }

  /** Runs something later. Of what is due at the same time, the first that was asked for comes first. */
  after(delayMs: number, run: () => void): void {
    const event = { at: this.now + Math.max(0, delayMs), order: this.#orders++, run };
    const events = this.#events;
    let at = events.length;
    events.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(events[parent] as Event, event)) break;
      events[at] = events[parent] as Event;
      at = parent;
    }
    events[at] = event;
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** Lets time pass until the work is done. Rejects when it fails, or when nothing is left that could finish it. */
  async run<Result>(work: Promise<Result>, limitMs: number = Number.POSITIVE_INFINITY): Promise<Result> {
    let outcome: { readonly value: Result } | { readonly error: unknown } | undefined;
    work.then(
      (value) => {
        outcome = { value };
      },
      (error: unknown) => {
        outcome = { error };
      },
    );
    const endMs = this.now + limitMs;
    await this.#turns(() => outcome !== undefined || this.now > endMs);
    if (outcome === undefined)
      throw new Error(`not done ${this.now > endMs ? `after ${limitMs} ms` : "and never will be"}`);
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  }

  /** Lets so much time pass. */
  async pass(durationMs: number): Promise<void> {
    await this.run(this.sleep(durationMs));
  }

  #turns(isDone: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = (): void => {
        try {
          if (isDone()) return resolve();
          const event = this.#take();
          if (event === undefined) return resolve();
          if (event.at > this.now) this.now = event.at;
          this.count++;
          event.run();
        } catch (error) {
          return reject(error instanceof Error ? error : new Error(String(error)));
        }
        next();
      };
      // A tick that is asked for by a microtask comes when no microtask is left.
      const next = (): void => queueMicrotask(() => process.nextTick(turn));
      next();
    });
  }

  #take(): Event | undefined {
    const events = this.#events;
    const first = events[0];
    const last = events.pop();
    if (first === undefined || last === undefined || events.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= events.length) break;
      if (child + 1 < events.length && isBefore(events[child + 1] as Event, events[child] as Event)) child++;
      if (isBefore(last, events[child] as Event)) break;
      events[at] = events[child] as Event;
      at = child;
    }
    events[at] = last;
    return first;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
