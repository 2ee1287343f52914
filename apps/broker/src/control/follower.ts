import { type Assignment, type Clock, type Log, supersedes, type Timer } from "@kaas/core";

/** How often the volume is looked at, whatever else tells of assignments. */
const LOOK_INTERVAL_MS = 1_000;
/** A complaint about the same thing is made once in this time. */
const COMPLAINT_INTERVAL_MS = 60_000;

/** Where assignments are found that nobody has told of. */
export interface AssignmentSource {
  /** The newest, if it is newer than one that is known. */
  newer(known: Assignment | undefined): Promise<Assignment | undefined>;
}

export interface AssignmentFollowerOptions {
  /** This broker. */
  readonly self: { readonly nodeId: number; readonly name: string };
  readonly source: AssignmentSource;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each that replaces the one before. */
  readonly adopted: (assignment: Assignment) => void;
}

/**
 * Knows the newest assignment: from the controller as soon as it is decided, and from the volume each second.
 *
 * One in which this broker's node id is that of a broker of another name, which lives, is not taken: what it gives that
 * broker would be taken away from it.
 */
export class AssignmentFollower {
  readonly #options: AssignmentFollowerOptions;
  #current: Assignment | undefined;
  #adoptedMs = 0;
  #timer: Timer | undefined;
  #complainedMs: number | undefined;
  #nodeIdOwner: string | undefined;
  #isStopped = false;

  constructor(options: AssignmentFollowerOptions) {
    this.#options = options;
  }

  get current(): Assignment | undefined {
    return this.#current;
  }

  /** −1: none was adopted. */
  get ageMs(): number {
    return this.#current === undefined ? -1 : this.#options.clock.monotonic() - this.#adoptedMs;
  }

  /** Name of the broker that lives and has this one's node id; undefined where there is none. */
  get nodeIdOwner(): string | undefined {
    return this.#nodeIdOwner;
  }

  /** Looks at the volume at once and then each second. Resolves after the first look. */
  async start(): Promise<void> {
    await this.#look();
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  /** Takes an assignment if it is newer. */
  offer(assignment: Assignment): void {
    if (this.#isStopped || !supersedes(assignment, this.#current)) return;
    this.#noteOwner(assignment);
    if (this.#nodeIdOwner !== undefined) return;
    this.#current = assignment;
    this.#adoptedMs = this.#options.clock.monotonic();
    this.#options.adopted(assignment);
  }

  #noteOwner({ brokers }: Assignment): void {
    const { self, log } = this.#options;
    const owner = brokers.find(({ nodeId, name, isAlive }) => nodeId === self.nodeId && name !== self.name && isAlive);
    if (owner !== undefined && owner.name !== this.#nodeIdOwner) {
      const message = `node id ${self.nodeId} is that of ${owner.name}, which lives: ${self.name} leads nothing until it is gone`;
      log.error({ nodeId: self.nodeId, owner: owner.name }, message);
    }
    this.#nodeIdOwner = owner?.name;
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = this.#options.clock.schedule(LOOK_INTERVAL_MS, () => {
      void this.#look().then(() => this.#schedule());
    });
  }

  async #look(): Promise<void> {
    const { source, log, clock } = this.#options;
    try {
      const newer = await source.newer(this.#current);
      if (newer !== undefined) this.offer(newer);
    } catch (error) {
      const now = clock.monotonic();
      if (this.#complainedMs !== undefined && now - this.#complainedMs < COMPLAINT_INTERVAL_MS) return;
      this.#complainedMs = now;
      log.warn({ err: error }, "assignments on the volume cannot be read; the one that is known stays in force");
    }
  }
}
