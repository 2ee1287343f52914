import type { Json } from "@kaas/core";
import { type History, Violation } from "./history.js";

/** A change of a coordinator's state, as it goes into the journal: its number, and text of a length that it decides. */
export function entryOf(number: number): Json {
  return { number, text: textOf(number) };
}

function textOf(number: number): string {
  return ".".repeat((number * 37) % 300);
}

/** What a coordinator has been told of its slot. Entries are the numbers 1, 2, 3, … of the whole life of the slot. */
export class JournalModel {
  readonly name: string;
  readonly #history: History;
  /** Entries that were acknowledged, or recovered and acted upon. */
  #certain = new Set<number>();
  #epoch = -1;
  #last = 0;

  constructor(history: History, name: string) {
    this.#history = history;
    this.name = name;
  }

  /** The newest that anybody has opened the slot at. */
  get epoch(): number {
    return this.#epoch;
  }

  next(): number {
    return ++this.#last;
  }

  acknowledged(epoch: number, entry: number): void {
    this.#history.note(this.name, `entry ${entry} is durable, says epoch ${epoch}`);
    // The answer may be late, the entry must not be.
    if (epoch < this.#epoch && !this.#certain.has(entry)) {
      throw new Violation(
        `${this.name}: entry ${entry} was acknowledged by epoch ${epoch}, and ${this.#epoch} lacks it`,
      );
    }
    this.#certain.add(entry);
  }

  /** What an opening found. From here on the coordinator answers by it. */
  recovered(epoch: number, snapshot: Json | undefined, entries: readonly Json[]): number[] {
    const found = [...((snapshot ?? []) as readonly number[]), ...entries.map((entry) => this.#numberOf(entry))];
    this.#history.note(this.name, `epoch ${epoch} recovered ${found.length} entries, up to ${found.at(-1) ?? 0}`);
    for (const [index, entry] of found.entries()) {
      const before = found[index - 1] ?? 0;
      if (entry <= before) throw new Violation(`${this.name}: entry ${entry} follows ${before}`);
      if (entry > this.#last) throw new Violation(`${this.name}: entry ${entry} was never appended`);
    }
    if (epoch < this.#epoch) return found; // it has been deposed before it was heard of
    this.#epoch = epoch;
    const there = new Set(found);
    for (const entry of this.#certain) {
      if (!there.has(entry)) throw new Violation(`${this.name}: entry ${entry} was acknowledged, and is lost`);
    }
    this.#certain = there;
    return found;
  }

  #numberOf(entry: Json): number {
    const { number, text } = entry as { readonly number: number; readonly text: string };
    if (text === textOf(number)) return number;
    throw new Violation(`${this.name}: nobody appended ${JSON.stringify(entry)}`);
  }
}
