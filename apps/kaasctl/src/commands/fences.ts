import { type FencesView, isSound, type Takeover } from "@kaas/storage";
import { renderFindings } from "../output/findings.js";
import { type Column, renderTable } from "../output/table.js";
import { type Action, EXIT } from "../session.js";
import { PROCESS_COLUMNS } from "./fuses.js";

/** `fences ls` */
export const listFences: Action = async (session) => {
  const inspection = await session.open();
  const fences = await inspection.fences();
  const { fenced, takeovers, findings } = fences;
  await session.output.print(fences, () => {
    const tables = [
      fenced.length === 0 ? "nobody is fenced\n" : renderTable(PROCESS_COLUMNS, fenced, session.style),
      takeovers.length === 0 ? "" : renderTable(TAKEOVER_COLUMNS, takeovers, session.style),
      findings.length === 0 ? "" : renderFindings(findings, session.style),
    ];
    return tables.filter((text) => text !== "").join("\n");
  });
  return isSound(findings) && isRespected(fences) ? EXIT.SOUND : EXIT.UNSOUND;
};

/** Whoever leads has blown the fuse of the one before, or its file cannot be told to be blown. */
function isRespected({ fenced, takeovers }: FencesView): boolean {
  return takeovers.every(({ from, isComplete }) => {
    const fuse = fenced.find(({ broker, incarnation }) => broker === from.broker && incarnation === from.incarnation);
    return !isComplete || fuse?.description?.isShared !== true || fuse.fuse !== "live";
  });
}

const TAKEOVER_COLUMNS: readonly Column<Takeover>[] = [
  {
    title: "TAKEN",
    cell: ({ kind, topic, number }) => (topic === undefined ? `${kind} slot ${number}` : `${topic}-${number}`),
  },
  { title: "EPOCH", isNumber: true, cell: ({ epoch }) => String(epoch) },
  { title: "FROM", cell: ({ from }) => `${from.broker} ${from.incarnation}` },
  { title: "AT EPOCH", isNumber: true, cell: ({ takenEpoch }) => String(takenEpoch) },
  { title: "BY", cell: ({ by }) => `${by.broker} ${by.incarnation}` },
  { title: "STATE", cell: ({ isComplete }) => (isComplete ? "leads" : "under way") },
];
