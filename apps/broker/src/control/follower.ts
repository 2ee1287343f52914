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
  readonly source: AssignmentSource;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each that replaces the one before. */
  readonly adopted: (assignment: Assignment) => void;
}

/** Knows the newest assignment: from the controller as soon as it is decided, and from the volume each second. */
export class AssignmentFollower {
  readonly #options: AssignmentFollowerOptions;
  #current: Assignment | undefined;
  #adoptedMs = 0;
  #timer: Timer | undefined;
  #complainedMs: number | undefined;
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
    this.#current = assignment;
    this.#adoptedMs = this.#options.clock.monotonic();
    this.#options.adopted(assignment);
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
