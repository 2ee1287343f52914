import type { BrokerView, Users, VolumeInfo } from "@kaas/storage";
import { shownBytes, shownTime } from "../output/shown.js";
import { renderFields, renderTable } from "../output/table.js";
import { type Action, EXIT } from "../session.js";

/** `volume info` */
export const volumeInfo: Action = async (session) => {
  const inspection = await session.open();
  const info = await inspection.info();
  const { style } = session;
  await session.output.print(info, () => {
    const fields = renderFields(fieldsOf(info), style);
    const { brokers } = info.users;
    return brokers.length === 0 ? fields : `${fields}\n${renderTable(BROKER_COLUMNS, brokers, style)}`;
  });
  return EXIT.SOUND;
};

function fieldsOf(info: VolumeInfo): (readonly [string, string])[] {
  const { space } = info;
  return [
    ["directory", info.directory],
    ["cluster id", info.clusterId],
    ["coordinator slots", String(info.slotCount)],
    ["topics", String(info.topics)],
    ["partitions", String(info.partitions)],
    ["logs", shownBytes(info.logBytes)],
    ["free", space.usableBytes < 0 ? "unknown" : `${shownBytes(space.usableBytes)} of ${shownBytes(space.totalBytes)}`],
    ["in use by", usersOf(info.users)],
  ];
}

function usersOf({ holder, isLive }: Users): string {
  if (holder === undefined) return isLive ? "the brokers below" : "nobody";
  return holder.pid < 0 ? "a process that may not be asked" : `process ${holder.pid} on ${holder.host}`;
}

/** Processes that left a fuse. One that is live belongs to a broker that runs, or that ended without saying so. */
const BROKER_COLUMNS = [
  { title: "BROKER", cell: (broker: BrokerView): string => broker.broker },
  { title: "INCARNATION", cell: (broker: BrokerView): string => broker.incarnation },
  { title: "FUSE", cell: (broker: BrokerView): string => broker.fuse },
  { title: "STARTED", cell: (broker: BrokerView): string => shownTime(broker.description?.startMs) },
  { title: "ENDPOINTS", cell: (broker: BrokerView): string => broker.description?.endpoints.join(",") ?? "" },
];
