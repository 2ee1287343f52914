import { shownAddress } from "../client/broker-address.js";
import { renderTable } from "../output/table.js";
import { type Action, EXIT } from "../session.js";
import { type BrokerRow, brokerRows } from "./facts/broker-rows.js";
import { liveTopics } from "./facts/live-topics.js";

/** `brokers`, by the brokers. */
export const listLiveBrokers: Action = async (session) => {
  const client = await session.connect();
  const rows = brokerRows(await client.cluster(), await liveTopics(client));
  await session.output.print(rows, () => renderTable(COLUMNS, rows, session.style));
  return EXIT.SOUND;
};

const COLUMNS = [
  { title: "BROKER", isNumber: true, cell: (row: BrokerRow): string => String(row.nodeId) },
  { title: "STATE", cell: (row: BrokerRow): string => (row.isFenced ? "fenced" : "alive") },
  { title: "ROLE", cell: (row: BrokerRow): string => (row.isController ? "controller" : "-") },
  { title: "RACK", cell: (row: BrokerRow): string => row.rack ?? "-" },
  { title: "PARTITIONS", isNumber: true, cell: (row: BrokerRow): string => String(row.partitions) },
  { title: "LISTENERS", cell: (row: BrokerRow): string => row.listeners.map(shownAddress).join(",") },
];
