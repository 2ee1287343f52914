import type { Assignment } from "@kaas/core";
import { type History, Violation } from "../history.js";

/** What controllers have decided, and what must be true of that whoever decided. */
export class Decisions {
  readonly #history: History;
  readonly #epochs = new Map<number, string>();
  readonly #published = new Map<string, string>();

  constructor(history: History) {
    this.#history = history;
  }

  /** A process has claimed a controller epoch. */
  claimed(epoch: number, process: string): void {
    const owner = this.#epochs.get(epoch);
    if (owner !== undefined) throw new Violation(`controller epoch ${epoch} is claimed by ${owner} and by ${process}`);
    this.#epochs.set(epoch, process);
    this.#history.note(process, `is controller ${epoch}`);
  }

  /** An assignment was published, or read: of each number there is one. */
  seen(assignment: Assignment): void {
    const name = `${assignment.controllerEpoch}-${assignment.version}`;
    const content = canonical(assignment);
    const known = this.#published.get(name);
    if (known !== undefined && known !== content) {
      throw new Violation(`assignment ${name} is ${content}, and was ${known}`);
    }
    if (known !== undefined) return;
    this.#published.set(name, content);
    this.#history.note(`${assignment.controllerId} ${name}`, shown(assignment));
  }

  get count(): number {
    return this.#published.size;
  }
}

/** The same text for the same content, in whatever order it was written. */
function canonical(assignment: Assignment): string {
  return JSON.stringify(assignment, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}

function shown({ topics, slots, brokers }: Assignment): string {
  const leaders = topics.map(({ leaders, leaderEpochs }) =>
    leaders.map((leader, partition) => `${leader}@${leaderEpochs[partition]}`).join(" "),
  );
  const alive = brokers.map(({ nodeId, isAlive, isFenced }) => `${nodeId}${isAlive ? "" : "†"}${isFenced ? "-" : ""}`);
  return `${leaders.join("; ")}; slots ${slots.groups.join(" ")}; brokers ${alive.join(" ")}`;
}
