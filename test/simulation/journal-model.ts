import type { Json } from "@kaas/core";
import { type History, Violation } from "./history.js";

/** What a coordinator has been told of its slot. Entries are the numbers 1, 2, 3, … of the whole life of the slot. */
export class JournalModel {
  readonly name: string;
  readonly #history: History;
  /** Entries in the order in which they became certain: acknowledged, or recovered and acted upon. */
  #certain: number[] = [];
  /** Appended, not acknowledged. */
  readonly #open = new Set<number>();
  #last = 0;

  constructor(history: History, name: string) {
    this.#history = history;
    this.name = name;
  }

  next(): number {
    const entry = ++this.#last;
    this.#open.add(entry);
    return entry;
  }

  acknowledged(entry: number): void {
    this.#history.note(this.name, `entry ${entry} is durable`);
    this.#open.delete(entry);
    this.#certain.push(entry);
  }

  /** All entries that are certain, as a snapshot holds them. */
  state(): Json {
    return [...this.#certain];
  }

  /** What an opening found. From here on the coordinator answers by it. */
  recovered(snapshot: Json | undefined, entries: readonly Json[]): void {
    const found = [...((snapshot ?? []) as readonly number[]), ...(entries as readonly number[])];
    this.#history.note(this.name, `recovered ${found.length} entries, up to ${found.at(-1) ?? 0}`);
    for (const [index, entry] of found.entries()) {
      const before = found[index - 1] ?? 0;
      if (entry <= before) throw new Violation(`${this.name}: entry ${entry} follows ${before}`);
      if (entry > this.#last) throw new Violation(`${this.name}: entry ${entry} was never appended`);
    }
    const there = new Set(found);
    for (const entry of this.#certain) {
      if (!there.has(entry)) throw new Violation(`${this.name}: entry ${entry} was acknowledged, and is lost`);
    }
    this.#certain = found;
    this.#open.clear();
  }
}
