/** Why a resource cannot be made what it says. It is looked at again when something changes, or after the usual time. */
export interface Refusal {
  /** One word for programs: the reason of the condition. */
  readonly reason: string;
  /** For people: what is wrong, and what to do. */
  readonly message: string;
}

/** One thing that is done to make a resource what it says. Done again, it changes nothing. */
export interface Step<Run> {
  readonly name: string;
  readonly run: (run: Run) => Promise<Refusal | undefined>;
}

/** A step that failed: the outside did not do what it was asked. */
export class StepError extends Error {
  readonly step: string;

  constructor(step: string, cause: unknown) {
    super(`${step}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = "StepError";
    this.step = step;
  }
}

/**
 * Does one step after the other until one refuses. `goesOn` is asked before each: who has lost the leadership leaves the
 * rest to the next leader.
 */
export async function takeSteps<Run>(
  steps: readonly Step<Run>[],
  run: Run,
  goesOn: () => boolean,
): Promise<Refusal | "done" | "stopped"> {
  for (const step of steps) {
    if (!goesOn()) return "stopped";
    try {
      const refusal = await step.run(run);
      if (refusal !== undefined) return refusal;
    } catch (error) {
      throw new StepError(step.name, error);
    }
  }
  return "done";
}
