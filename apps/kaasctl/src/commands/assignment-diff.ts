import type { Assignment } from "@kaas/core";
import type { PublishedAssignment } from "@kaas/storage";
import { renderTable } from "../output/table.js";
import { type Action, EXIT } from "../session.js";
import { UsageError } from "../usage-error.js";
import { type AssignmentChange, changesBetween } from "./assignment-changes.js";
import { assignmentNamed, nameOf } from "./assignment-choice.js";
import { noAssignment } from "./assignment-show.js";

/** `assignment diff [from] [to]` */
export function diffAssignments(from: string | undefined, to: string | undefined): Action {
  return async (session) => {
    const inspection = await session.open();
    const { assignments } = await inspection.assignments();
    if (assignments.length === 0) throw new UsageError(noAssignment(inspection));
    const [older, newer] = choose(assignments, from, to);
    const changes = changesBetween(older, newer);
    await session.output.print({ from: nameOf(older), to: nameOf(newer), changes }, () =>
      changes.length === 0
        ? `${nameOf(older)} and ${nameOf(newer)} give everything to the same brokers\n`
        : renderTable(COLUMNS, changes, session.style),
    );
    return EXIT.SOUND;
  };
}

/** The last two where none is named, and the newest where only one is. */
function choose(
  assignments: readonly PublishedAssignment[],
  from: string | undefined,
  to: string | undefined,
): readonly [Assignment, Assignment] {
  const newest = assignments.at(-1)?.assignment;
  const before = assignments.at(-2)?.assignment;
  const older = from === undefined ? before : assignmentNamed(assignments, from);
  const newer = to === undefined ? newest : assignmentNamed(assignments, to);
  if (older === undefined || newer === undefined) throw new UsageError("only one assignment is kept: name two others");
  return [older, newer];
}

const COLUMNS = [
  { title: "KIND", cell: (row: AssignmentChange): string => row.kind },
  { title: "WHAT", cell: (row: AssignmentChange): string => row.what },
  { title: "FROM", cell: (row: AssignmentChange): string => row.from ?? "-" },
  { title: "TO", cell: (row: AssignmentChange): string => row.to ?? "-" },
];
