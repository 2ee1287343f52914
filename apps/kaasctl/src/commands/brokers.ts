import type { ClusterBrokerView } from "@kaas/storage";
import { renderTable } from "../output/table.js";
import { type Action, EXIT } from "../session.js";
import { UsageError } from "../usage-error.js";
import { stateOf } from "./assignment-changes.js";
import { noAssignment } from "./assignment-show.js";

/** `brokers` */
export const listBrokers: Action = async (session) => {
  const inspection = await session.open();
  const brokers = await inspection.brokers();
  if (brokers.length === 0) throw new UsageError(noAssignment(inspection));
  await session.output.print(brokers, () => renderTable(COLUMNS, brokers, session.style));
  return EXIT.SOUND;
};

const COLUMNS = [
  { title: "BROKER", isNumber: true, cell: (row: ClusterBrokerView): string => String(row.nodeId) },
  { title: "NAME", cell: (row: ClusterBrokerView): string => row.name },
  { title: "STATE", cell: (row: ClusterBrokerView): string => stateOf(row) },
  { title: "ROLE", cell: (row: ClusterBrokerView): string => (row.isController ? "controller" : "-") },
  { title: "RACK", cell: (row: ClusterBrokerView): string => row.rack ?? "-" },
  { title: "PARTITIONS", isNumber: true, cell: (row: ClusterBrokerView): string => String(row.partitions) },
  {
    title: "SLOTS",
    isNumber: true,
    cell: (row: ClusterBrokerView): string => String(row.groupSlots + row.transactionSlots),
  },
  { title: "FUSE", cell: (row: ClusterBrokerView): string => row.fuse },
  { title: "INCARNATION", cell: (row: ClusterBrokerView): string => row.incarnation },
  {
    title: "LISTENERS",
    cell: (row: ClusterBrokerView): string =>
      row.listeners.map(({ listenerName, host, port }) => `${listenerName}://${host}:${port}`).join(","),
  },
];
