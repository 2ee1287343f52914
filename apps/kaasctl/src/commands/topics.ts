import type { PartitionSummary, TopicView } from "@kaas/storage";
import { shownBytes, shownNumber } from "../output/shown.js";
import { renderFields, renderTable } from "../output/table.js";
import { type Action, EXIT, topicNamed } from "../session.js";

interface TopicRow {
  readonly name: string;
  readonly id: string | null;
  readonly partitions: number;
  readonly segments: number;
  readonly sizeBytes: number;
  readonly overrides: TopicView["overrides"];
}

/** `topic ls` */
export const listTopics: Action = async (session) => {
  const inspection = await session.open();
  const rows: TopicRow[] = [];
  for (const topic of await inspection.topics()) {
    const partitions = await inspection.partitions(topic);
    rows.push({
      name: topic.name,
      id: topic.id ?? null,
      partitions: topic.partitionCount,
      segments: partitions.reduce((sum, one) => sum + one.segments, 0),
      sizeBytes: partitions.reduce((sum, one) => sum + one.sizeBytes, 0),
      overrides: topic.overrides,
    });
  }
  await session.output.print(rows, () => renderTable(TOPIC_COLUMNS, rows, session.style));
  return EXIT.SOUND;
};

const TOPIC_COLUMNS = [
  { title: "TOPIC", cell: (row: TopicRow): string => row.name },
  { title: "ID", cell: (row: TopicRow): string => row.id ?? "-" },
  { title: "PARTITIONS", isNumber: true, cell: (row: TopicRow): string => String(row.partitions) },
  { title: "SEGMENTS", isNumber: true, cell: (row: TopicRow): string => String(row.segments) },
  { title: "SIZE", isNumber: true, cell: (row: TopicRow): string => shownBytes(row.sizeBytes) },
  { title: "CONFIG", cell: (row: TopicRow): string => shownConfig(row.overrides) },
];

/** `topic describe TOPIC` */
export function describeTopic(name: string): Action {
  return async (session) => {
    const inspection = await session.open();
    const topic = await topicNamed(inspection, name);
    const partitions = await inspection.partitions(topic);
    const { id = null, directory, partitionCount, overrides } = topic;
    await session.output.print({ name, id, directory, partitionCount, overrides, partitions }, () => {
      const fields = renderFields(
        [
          ["topic", name],
          ["id", id ?? "-"],
          ["directory", directory],
          ["partitions", String(partitionCount)],
          ["config", shownConfig(overrides) || "none of its own"],
        ],
        session.style,
      );
      return `${fields}\n${renderTable(PARTITION_COLUMNS, partitions, session.style)}`;
    });
    return EXIT.SOUND;
  };
}

const PARTITION_COLUMNS = [
  { title: "PARTITION", isNumber: true, cell: (row: PartitionSummary): string => String(row.partition) },
  { title: "EPOCH", isNumber: true, cell: (row: PartitionSummary): string => shownNumber(row.epoch) },
  { title: "LEADER", cell: (row: PartitionSummary): string => row.broker ?? "-" },
  { title: "STATE", cell: stateOf },
  { title: "START", isNumber: true, cell: (row: PartitionSummary): string => shownNumber(row.logStartOffset) },
  { title: "END", isNumber: true, cell: shownEnd },
  { title: "SEGMENTS", isNumber: true, cell: (row: PartitionSummary): string => String(row.segments) },
  { title: "SIZE", isNumber: true, cell: (row: PartitionSummary): string => shownBytes(row.sizeBytes) },
];

/** Handed over in order, or led: by a leader that is at work, or that ended without a word. */
function stateOf({ source }: PartitionSummary): string {
  if (source === undefined) return "unused";
  return source === "released" ? "released" : "led";
}

/** Documents say where closed segments end; of one that is open only its batches do. */
function shownEnd({ describedEndOffset, source }: PartitionSummary): string {
  const end = shownNumber(describedEndOffset);
  return source === "released" || source === undefined ? end : `${end}+`;
}

/** Configurations in one line. */
export function shownConfig(overrides: Readonly<Record<string, string>>): string {
  return Object.entries(overrides)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
