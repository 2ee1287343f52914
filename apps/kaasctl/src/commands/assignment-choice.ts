import type { Assignment } from "@kaas/core";
import type { PublishedAssignment } from "@kaas/storage";
import { UsageError } from "../usage-error.js";

const NAME = /^(\d{1,10})-(\d{1,10})$/;

/** How an assignment is called on the command line: its controller epoch and its version, such as `7-42`. */
export function nameOf({ controllerEpoch, version }: Pick<Assignment, "controllerEpoch" | "version">): string {
  return `${controllerEpoch}-${version}`;
}

/**
 * The assignment of that name.
 *
 * @throws UsageError when it is not kept, or the name is none.
 */
export function assignmentNamed(assignments: readonly PublishedAssignment[], name: string): Assignment {
  const match = NAME.exec(name);
  if (match === null) throw new UsageError(`${name} is no assignment: write EPOCH-VERSION, such as 7-42`);
  const [, controllerEpoch, version] = match.map(Number);
  const found = assignments.find(
    ({ assignment }) => assignment.controllerEpoch === controllerEpoch && assignment.version === version,
  );
  if (found !== undefined) return found.assignment;
  const kept = assignments.map(({ assignment }) => nameOf(assignment)).join(", ");
  throw new UsageError(`assignment ${name} is not kept; there is ${kept || "none"}`);
}
