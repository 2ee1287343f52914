import type { CommittedOffsetView, GroupView } from "@kaas/storage";
import { shownNumber, shownTime } from "../output/shown.js";
import { renderFields, renderTable } from "../output/table.js";
import { type Action, EXIT } from "../session.js";
import { UsageError } from "../usage-error.js";

/** `offsets show GROUP` */
export function showOffsets(name: string): Action {
  return async (session) => {
    const inspection = await session.open();
    const group = await inspection.group(name);
    if (group === undefined) throw new UsageError(`there is no group ${name} in ${inspection.directory}`);
    await session.output.print(group, () => {
      const fields = renderFields(
        [
          ["group", group.group],
          ["protocol type", group.protocolType ?? "-"],
          ["generation", String(group.generation)],
          ["members", membersOf(group)],
        ],
        session.style,
      );
      return `${fields}\n${renderTable(COLUMNS, group.offsets, session.style)}`;
    });
    return EXIT.SOUND;
  };
}

/** The volume knows whether there were members, not who: that is in the coordinator's memory. */
function membersOf({ emptySince, protocolType }: GroupView): string {
  if (emptySince !== null) return `none since ${shownTime(emptySince)}`;
  return protocolType === null ? "none" : "some, when it was last written";
}

const COLUMNS = [
  { title: "TOPIC", cell: (row: CommittedOffsetView): string => row.topic },
  { title: "PARTITION", isNumber: true, cell: (row: CommittedOffsetView): string => String(row.partition) },
  { title: "OFFSET", isNumber: true, cell: (row: CommittedOffsetView): string => String(row.offset) },
  { title: "EPOCH", isNumber: true, cell: (row: CommittedOffsetView): string => shownNumber(row.leaderEpoch) },
  { title: "COMMITTED", cell: (row: CommittedOffsetView): string => shownTime(row.committedAt) },
  { title: "EXPIRES", cell: (row: CommittedOffsetView): string => shownTime(row.expiresAt) },
  {
    title: "METADATA",
    cell: (row: CommittedOffsetView): string => (row.metadata === "" ? "" : JSON.stringify(row.metadata)),
  },
];
