import { isStatus, type KubernetesObject } from "@kaas/k8s";

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

/** How a reconciliation ended. */
export type Outcome =
  /** All steps are done, or one has refused. */
  | "settled"
  /** The object has changed since it was seen: it is to be looked at anew. */
  | "outdated"
  /** The object is gone or being deleted, or this process does not lead any more: the rest is not for it to do. */
  | "stopped";

export interface Reconciliation<Run> {
  readonly steps: readonly Step<Run>[];
  readonly run: Run;
  /** Asked before each step, and before the report: whether the object is still there, and this process leads. */
  readonly goesOn: () => boolean;
  readonly whenDone: () => Promise<void>;
  /** Says why, also when a step failed. */
  readonly whenRefused: (refusal: Refusal) => Promise<void>;
}

/**
 * Does one step after the other until one refuses, and reports.
 *
 * @throws StepError what a step failed with, after that was reported as far as that works: what failed may be the API
 * server itself.
 */
export async function reconcileBySteps<Run>(reconciliation: Reconciliation<Run>): Promise<Outcome> {
  const { whenDone, whenRefused } = reconciliation;
  try {
    const refusal = await takeSteps(reconciliation);
    if (refusal === "stopped") return "stopped";
    await (refusal === "done" ? whenDone() : whenRefused(refusal));
    return "settled";
  } catch (error) {
    const cause = error instanceof StepError ? error.cause : error;
    if (isStatus(cause, 409)) return "outdated";
    if (error instanceof StepError && !isStatus(cause, 404)) {
      await whenRefused({ reason: "Failed", message: `${error.message}. It is tried again` }).catch(() => undefined);
    }
    throw error;
  }
}

/** Whether an object is the one that is known now, and is not being deleted. */
export function isStill(object: KubernetesObject, known: KubernetesObject | undefined): boolean {
  return known?.metadata.uid === object.metadata.uid && known?.metadata.deletionTimestamp === undefined;
}

async function takeSteps<Run>({ steps, run, goesOn }: Reconciliation<Run>): Promise<Refusal | "done" | "stopped"> {
  for (const step of steps) {
    if (!goesOn()) return "stopped";
    try {
      const refusal = await step.run(run);
      if (refusal !== undefined) return refusal;
    } catch (error) {
      throw new StepError(step.name, error);
    }
  }
  return goesOn() ? "done" : "stopped";
}
