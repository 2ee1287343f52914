import { isSound, type ProcessView } from "@kaas/storage";
import { renderFindings } from "../output/findings.js";
import { shownTime } from "../output/shown.js";
import { type Column, renderTable } from "../output/table.js";
import { type Action, EXIT } from "../session.js";
import { UsageError } from "../usage-error.js";

/** `fuse show [broker]` */
export function showFuses(broker: string | undefined): Action {
  return async (session) => {
    const inspection = await session.open();
    const { processes, findings } = await inspection.processes();
    const known = [...new Set(processes.map((one) => one.broker))].join(", ");
    const shown = processes.filter((one) => broker === undefined || one.broker === broker);
    if (broker !== undefined && shown.length === 0) {
      throw new UsageError(`the volume knows no broker ${broker}; it knows ${known || "none"}`);
    }
    await session.output.print({ processes: shown, findings }, () => {
      const table = renderTable(PROCESS_COLUMNS, shown, session.style);
      return findings.length === 0 ? table : `${table}\n${renderFindings(findings, session.style)}`;
    });
    const isReadable = shown.every(({ fuse }) => fuse !== "unreadable");
    return isReadable && isSound(findings) ? EXIT.SOUND : EXIT.UNSOUND;
  };
}

/** Processes of brokers, with their fuses. */
export const PROCESS_COLUMNS: readonly Column<ProcessView>[] = [
  { title: "BROKER", cell: (row: ProcessView): string => row.broker },
  { title: "INCARNATION", cell: (row: ProcessView): string => row.incarnation },
  { title: "FUSE", cell: (row: ProcessView): string => row.fuse },
  { title: "SINCE", cell: (row: ProcessView): string => shownTime(row.sinceMs) },
  {
    title: "BLOWN BY",
    cell: ({ blownBy }: ProcessView): string =>
      blownBy === undefined ? "-" : `${blownBy.broker} ${blownBy.incarnation}`,
  },
  { title: "STARTED", cell: (row: ProcessView): string => shownTime(row.description?.startMs) },
  { title: "CLAIMS", isNumber: true, cell: (row: ProcessView): string => String(row.claims) },
];
