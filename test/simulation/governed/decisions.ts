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

  /** A process has published an assignment: nobody else ever does so at its epoch. */
  published(assignment: Assignment, incarnation: string): void {
    const { controllerEpoch } = assignment;
    const owner = this.#epochs.get(controllerEpoch);
    if (owner !== undefined && owner !== incarnation) {
      throw new Violation(`controller epoch ${controllerEpoch} is that of ${owner} and of ${incarnation}`);
    }
    this.#epochs.set(controllerEpoch, incarnation);
    this.seen(assignment);
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
