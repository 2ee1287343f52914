import type { PublishedAssignment } from "@kaas/storage";
import { isSound } from "@kaas/storage";
import { renderFindings } from "../output/findings.js";
import { shownTime } from "../output/shown.js";
import { renderTable } from "../output/table.js";
import { type Action, EXIT } from "../session.js";
import { UsageError } from "../usage-error.js";
import { countMoves } from "./assignment-changes.js";
import { nameOf } from "./assignment-choice.js";
import { noAssignment } from "./assignment-show.js";

interface HistoryRow {
  readonly assignment: string;
  readonly publishedMs: number;
  readonly controller: number;
  /** Process that claimed the epoch, if the claim is kept. */
  readonly claimedBy: string | null;
  readonly alive: number;
  readonly brokers: number;
  /** Against the one before; null for the oldest that is kept. */
  readonly moves: number | null;
}

/** `assignment history` */
export const assignmentHistory: Action = async (session) => {
  const inspection = await session.open();
  const { assignments, claims, findings } = await inspection.assignments();
  if (assignments.length === 0 && findings.length === 0) throw new UsageError(noAssignment(inspection));
  const claimants = new Map(claims.map(({ epoch, broker, incarnation }) => [epoch, `${broker} ${incarnation}`]));
  const rows = assignments.map((one, index) => rowOf(one, assignments[index - 1], claimants));
  await session.output.print({ assignments: rows, claims, findings }, () => {
    const table = renderTable(COLUMNS, rows, session.style);
    return findings.length === 0 ? table : `${table}\n${renderFindings(findings, session.style)}`;
  });
  return isSound(findings) ? EXIT.SOUND : EXIT.UNSOUND;
};

function rowOf(
  { assignment }: PublishedAssignment,
  before: PublishedAssignment | undefined,
  claimants: ReadonlyMap<number, string>,
): HistoryRow {
  return {
    assignment: nameOf(assignment),
    publishedMs: assignment.createdMs,
    controller: assignment.controllerId,
    claimedBy: claimants.get(assignment.controllerEpoch) ?? null,
    alive: assignment.brokers.filter(({ isAlive }) => isAlive).length,
    brokers: assignment.brokers.length,
    moves: before === undefined ? null : countMoves(before.assignment, assignment),
  };
}

const COLUMNS = [
  { title: "ASSIGNMENT", cell: (row: HistoryRow): string => row.assignment },
  { title: "PUBLISHED", cell: (row: HistoryRow): string => shownTime(row.publishedMs) },
  { title: "CONTROLLER", isNumber: true, cell: (row: HistoryRow): string => String(row.controller) },
  { title: "ALIVE", isNumber: true, cell: (row: HistoryRow): string => `${row.alive}/${row.brokers}` },
  { title: "MOVES", isNumber: true, cell: (row: HistoryRow): string => (row.moves === null ? "-" : String(row.moves)) },
  { title: "CLAIMED BY", cell: (row: HistoryRow): string => row.claimedBy ?? "-" },
];
