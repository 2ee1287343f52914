import type { Assignment } from "../../src/cluster/assignment.js";
import { supersedes } from "../../src/cluster/assignment.js";
import { KaasError } from "../../src/errors/kaas-error.js";
import type { AssignmentStore } from "../../src/ports/assignment-store.js";

/** Assignments in memory, of all controllers that a test has. */
export class FakeAssignmentStore implements AssignmentStore {
  readonly published: Assignment[] = [];
  epoch = -1;
  /** What the next calls fail with, one each. */
  readonly failures: Error[] = [];
  /** What a publication waits for. */
  before: Promise<void> = Promise.resolve();

  async claimEpoch(leaseTransitions: number): Promise<number> {
    this.#fail();
    this.epoch = Math.max(leaseTransitions, this.epoch + 1);
    return this.epoch;
  }

  async newest(): Promise<Assignment | undefined> {
    this.#fail();
    return this.last;
  }

  /** What {@link newest} answers when it does not fail. */
  get last(): Assignment | undefined {
    let newest: Assignment | undefined;
    for (const assignment of this.published) if (supersedes(assignment, newest)) newest = assignment;
    return newest;
  }

  async publish(assignment: Assignment): Promise<void> {
    await this.before;
    this.#fail();
    if (assignment.controllerEpoch < this.epoch) throw new KaasError("KAAS_FENCED", "its epoch is over");
    this.published.push(assignment);
  }

  #fail(): void {
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
  }
}
