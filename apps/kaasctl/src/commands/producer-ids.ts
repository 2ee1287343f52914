import { isSound, type ProducerIdBlockView } from "@kaas/storage";
import { renderFindings } from "../output/findings.js";
import { renderTable } from "../output/table.js";
import { type Action, EXIT } from "../session.js";

/** `producer-ids` */
export const listProducerIds: Action = async (session) => {
  const inspection = await session.open();
  const { blocks, findings } = await inspection.producerIds();
  await session.output.print({ blocks, findings }, () => {
    const table = renderTable(COLUMNS, blocks, session.style);
    return findings.length === 0 ? table : `${table}\n${renderFindings(findings, session.style)}`;
  });
  return isSound(findings) ? EXIT.SOUND : EXIT.UNSOUND;
};

const COLUMNS = [
  { title: "BLOCK", isNumber: true, cell: (row: ProducerIdBlockView): string => String(row.number) },
  { title: "FIRST", isNumber: true, cell: (row: ProducerIdBlockView): string => String(row.first) },
  { title: "LAST", isNumber: true, cell: (row: ProducerIdBlockView): string => String(row.first + row.count - 1) },
  { title: "CLAIMED BY", cell: (row: ProducerIdBlockView): string => row.incarnation },
];
