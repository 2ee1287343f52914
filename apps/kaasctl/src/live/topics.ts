import { shownConfig } from "../commands/topics.js";
import { shownBytes, shownNumber } from "../output/shown.js";
import { renderFields, renderTable } from "../output/table.js";
import type { Action } from "../session.js";
import { partitionName, reportLeaderless } from "./facts/by-leader.js";
import { LogPlace, logOffsets } from "./facts/log-ends.js";
import { partitionSizes } from "./facts/log-sizes.js";
import { liveTopic, liveTopics } from "./facts/live-topics.js";
import { topicOverrides } from "./facts/topic-configs.js";
import { LiveReport } from "./live-report.js";

interface TopicRow {
  readonly name: string;
  readonly id: string | null;
  readonly partitions: number;
  /** Null: not known of all partitions. */
  readonly sizeBytes: number | null;
  /** Null: the user may not see them. */
  readonly overrides: Readonly<Record<string, string>> | null;
}

/** `topic ls`, by the brokers. */
export const listLiveTopics: Action = async (session) => {
  const client = await session.connect();
  const report = new LiveReport();
  const topics = await liveTopics(client);
  const [overrides, sizes] = await Promise.all([
    topicOverrides(client, topics, report),
    partitionSizes(client, topics, report),
  ]);
  const rows = topics.map(({ name, id, partitions }): TopicRow => {
    const known = partitions.map(({ partition }) => sizes.get(partitionName(name, partition)));
    return {
      name,
      id,
      partitions: partitions.length,
      sizeBytes: sum(known),
      overrides: overrides.get(name) ?? null,
    };
  });
  await session.output.print(rows, () => renderTable(TOPIC_COLUMNS, rows, session.style));
  reportLeaderless(topics, report);
  return report.end(session);
};

function sum(numbers: readonly (number | undefined)[]): number | null {
  let total = 0;
  for (const number of numbers) {
    if (number === undefined) return null;
    total += number;
  }
  return total;
}

const TOPIC_COLUMNS = [
  { title: "TOPIC", cell: (row: TopicRow): string => row.name },
  { title: "ID", cell: (row: TopicRow): string => row.id ?? "-" },
  { title: "PARTITIONS", isNumber: true, cell: (row: TopicRow): string => String(row.partitions) },
  { title: "SIZE", isNumber: true, cell: (row: TopicRow): string => shownSize(row.sizeBytes) },
  { title: "CONFIG", cell: (row: TopicRow): string => shownOverrides(row.overrides) },
];

interface PartitionRow {
  readonly partition: number;
  readonly epoch: number;
  readonly leader: number;
  readonly logStartOffset: number | null;
  readonly highWatermark: number | null;
  readonly sizeBytes: number | null;
}

/** `topic describe TOPIC`, by the brokers. */
export function describeLiveTopic(name: string): Action {
  return async (session) => {
    const client = await session.connect();
    const report = new LiveReport();
    const topic = await liveTopic(client, name);
    const topics = [topic];
    const [overrides, sizes, starts, ends] = await Promise.all([
      topicOverrides(client, topics, report),
      partitionSizes(client, topics, report),
      logOffsets(client, topics, LogPlace.START, report),
      logOffsets(client, topics, LogPlace.END, report),
    ]);
    const partitions = topic.partitions.map(({ partition, leader, leaderEpoch }): PartitionRow => {
      const key = partitionName(name, partition);
      return {
        partition,
        epoch: leaderEpoch,
        leader,
        logStartOffset: starts.get(key) ?? null,
        highWatermark: ends.get(key) ?? null,
        sizeBytes: sizes.get(key) ?? null,
      };
    });
    const own = overrides.get(name) ?? null;
    const value = { name, id: topic.id, partitionCount: partitions.length, overrides: own, partitions };
    await session.output.print(value, () => {
      const fields = renderFields(
        [
          ["topic", name],
          ["id", topic.id ?? "-"],
          ["partitions", String(partitions.length)],
          ["config", own === null ? "-" : shownConfig(own) || "none of its own"],
        ],
        session.style,
      );
      return `${fields}\n${renderTable(PARTITION_COLUMNS, partitions, session.style)}`;
    });
    reportLeaderless(topics, report);
    return report.end(session);
  };
}

const PARTITION_COLUMNS = [
  { title: "PARTITION", isNumber: true, cell: (row: PartitionRow): string => String(row.partition) },
  { title: "EPOCH", isNumber: true, cell: (row: PartitionRow): string => shownNumber(row.epoch) },
  { title: "LEADER", isNumber: true, cell: (row: PartitionRow): string => shownNumber(row.leader) },
  { title: "START", isNumber: true, cell: (row: PartitionRow): string => shownNumber(row.logStartOffset ?? undefined) },
  { title: "END", isNumber: true, cell: (row: PartitionRow): string => shownNumber(row.highWatermark ?? undefined) },
  { title: "SIZE", isNumber: true, cell: (row: PartitionRow): string => shownSize(row.sizeBytes) },
];

function shownSize(bytes: number | null): string {
  return bytes === null ? "-" : shownBytes(bytes);
}

function shownOverrides(overrides: Readonly<Record<string, string>> | null): string {
  return overrides === null ? "-" : shownConfig(overrides);
}
