import { isSound, type SlotSummary } from "@kaas/storage";
import { countFindings, renderFindings } from "../output/findings.js";
import { shownBytes, shownNumber } from "../output/shown.js";
import { renderTable } from "../output/table.js";
import { type Action, EXIT } from "../session.js";

/** `slots` */
export const listSlots: Action = async (session) => {
  const inspection = await session.open();
  const slots = [...(await inspection.slots("groups")), ...(await inspection.slots("transactions"))];
  const findings = slots.flatMap((slot) => slot.findings);
  await session.output.print(slots, () => {
    const table = renderTable(COLUMNS, slots, session.style);
    return findings.length === 0 ? table : `${table}\n${renderFindings(findings, session.style)}`;
  });
  return isSound(findings) ? EXIT.SOUND : EXIT.UNSOUND;
};

const COLUMNS = [
  { title: "KIND", cell: (row: SlotSummary): string => row.kind },
  { title: "SLOT", isNumber: true, cell: (row: SlotSummary): string => String(row.slot) },
  { title: "EPOCH", isNumber: true, cell: (row: SlotSummary): string => shownNumber(row.epoch) },
  { title: "COORDINATOR", cell: (row: SlotSummary): string => row.broker ?? "-" },
  { title: "STATE", cell: (row: SlotSummary): string => (row.isReleased ? "released" : "led") },
  { title: "FUSE", cell: (row: SlotSummary): string => row.fuse },
  { title: "GROUPS", isNumber: true, cell: (row: SlotSummary): string => String(row.groups) },
  { title: "ENTRIES", isNumber: true, cell: (row: SlotSummary): string => String(row.entries) },
  { title: "JOURNAL", isNumber: true, cell: (row: SlotSummary): string => shownBytes(row.journalBytes) },
  { title: "RESULT", cell: (row: SlotSummary): string => countFindings(row.findings) || "sound" },
];
