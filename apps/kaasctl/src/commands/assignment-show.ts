import { KaasError, type Assignment } from "@kaas/core";
import { isSound, type ClusterBrokerView, type VolumeInspection } from "@kaas/storage";
import { renderFindings } from "../output/findings.js";
import { counted, shownNumber, shownTime } from "../output/shown.js";
import { type Column, renderFields, renderTable } from "../output/table.js";
import { type Action, EXIT, type Session } from "../session.js";
import { UsageError } from "../usage-error.js";
import { nameOf } from "./assignment-choice.js";

/** `assignment show [topic]` */
export function showAssignment(topic: string | undefined): Action {
  return async (session) => {
    const inspection = await session.open();
    const { assignments, findings } = await inspection.assignments();
    const newest = assignments.at(-1)?.assignment;
    const problem = findings.find(({ severity }) => severity === "error");
    if (newest === undefined && problem !== undefined) {
      throw new KaasError("KAAS_VOLUME_INVALID", `${problem.file}: ${problem.message}`);
    }
    if (newest === undefined) throw new UsageError(noAssignment(inspection));
    if (topic === undefined) await showWhole(session, newest, await inspection.brokers());
    else await showTopic(session, newest, topic);
    const isUnsound = !isSound(findings);
    if (isUnsound && session.output.format === "table") {
      await session.output.text(renderFindings(findings, session.style));
    }
    return isUnsound ? EXIT.UNSOUND : EXIT.SOUND;
  };
}

/** What to say where no controller has ever been. */
export function noAssignment({ directory }: VolumeInspection): string {
  return `there is no assignment in ${directory}: a broker that runs alone leads everything`;
}

async function showWhole(
  session: Session,
  assignment: Assignment,
  brokers: readonly ClusterBrokerView[],
): Promise<void> {
  await session.output.print(assignment, () => {
    const fields = renderFields(fieldsOf(assignment), session.style);
    return `${fields}\n${renderTable(SHARE_COLUMNS, brokers, session.style)}`;
  });
}

function fieldsOf(assignment: Assignment): (readonly [string, string])[] {
  const { controllerId, createdMs, topics, slots } = assignment;
  const leaders = topics.flatMap((topic) => topic.leaders);
  const leaderless = [...leaders, ...slots.groups, ...slots.transactions].filter((leader) => leader < 0).length;
  return [
    ["assignment", nameOf(assignment)],
    ["controller", String(controllerId)],
    ["published", shownTime(createdMs)],
    ["topics", `${topics.length}, ${counted(leaders.length, "partition")}`],
    ["without a leader", String(leaderless)],
  ];
}

const SHARE_COLUMNS = [
  { title: "BROKER", isNumber: true, cell: (row: ClusterBrokerView): string => String(row.nodeId) },
  { title: "NAME", cell: (row: ClusterBrokerView): string => row.name },
  { title: "PARTITIONS", isNumber: true, cell: (row: ClusterBrokerView): string => String(row.partitions) },
  { title: "GROUP SLOTS", isNumber: true, cell: (row: ClusterBrokerView): string => String(row.groupSlots) },
  { title: "TXN SLOTS", isNumber: true, cell: (row: ClusterBrokerView): string => String(row.transactionSlots) },
];

/** Who leads a partition of a topic. */
export interface PartitionRow {
  readonly partition: number;
  readonly leader: number;
  readonly leaderEpoch: number;
  /** Node ids that an administrator wants to lead it, the first choice first. */
  readonly wished: readonly number[];
}

async function showTopic(session: Session, assignment: Assignment, name: string): Promise<void> {
  const topic = assignment.topics.find((one) => one.name === name);
  if (topic === undefined) throw new UsageError(`assignment ${nameOf(assignment)} knows no topic ${name}`);
  const rows = topic.leaders.map((leader, partition): PartitionRow => {
    const wished = topic.wishes?.find((wish) => wish.partition === partition)?.brokers ?? [];
    return { partition, leader, leaderEpoch: topic.leaderEpochs[partition] ?? -1, wished };
  });
  await session.output.print(rows, () => renderTable(PARTITION_COLUMNS, rows, session.style));
}

/** The partitions of a topic. */
export const PARTITION_COLUMNS: readonly Column<PartitionRow>[] = [
  { title: "PARTITION", isNumber: true, cell: (row: PartitionRow): string => String(row.partition) },
  { title: "LEADER", isNumber: true, cell: (row: PartitionRow): string => shownNumber(row.leader) },
  { title: "EPOCH", isNumber: true, cell: (row: PartitionRow): string => shownNumber(row.leaderEpoch) },
  { title: "WISHED", cell: (row: PartitionRow): string => row.wished.join(",") || "-" },
];
