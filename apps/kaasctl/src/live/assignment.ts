import { ErrorCode } from "@kaas/core";
import { PARTITION_COLUMNS, type PartitionRow } from "../commands/assignment-show.js";
import type { KafkaClient } from "../client/kafka-client.js";
import { counted, shownNumber } from "../output/shown.js";
import { renderFields, renderTable } from "../output/table.js";
import type { Action, ExitCode, Session } from "../session.js";
import { type BrokerRow, brokerRows } from "./facts/broker-rows.js";
import { reportLeaderless } from "./facts/by-leader.js";
import { type LiveTopic, liveTopic, liveTopics } from "./facts/live-topics.js";
import { LiveReport } from "./live-report.js";

/** `assignment show [topic]`, by the brokers. */
export function showLiveAssignment(topic: string | undefined): Action {
  return async (session) => {
    const client = await session.connect();
    return topic === undefined ? showWhole(session, client) : showTopic(session, client, topic);
  };
}

async function showWhole(session: Session, client: KafkaClient): Promise<ExitCode> {
  const report = new LiveReport();
  const [cluster, topics] = [await client.cluster(), await liveTopics(client)];
  const { clusterId, controllerId } = cluster;
  const brokers = brokerRows(cluster, topics);
  const value = { clusterId, controllerId, brokers, topics: topics.map(leadersOf) };
  await session.output.print(value, () => {
    const leaders = topics.flatMap(({ partitions }) => partitions.map(({ leader }) => leader));
    const fields = renderFields(
      [
        ["cluster", clusterId],
        ["controller", shownNumber(controllerId)],
        ["topics", `${topics.length}, ${counted(leaders.length, "partition")}`],
        ["without a leader", String(leaders.filter((leader) => leader < 0).length)],
      ],
      session.style,
    );
    return `${fields}\n${renderTable(SHARE_COLUMNS, brokers, session.style)}`;
  });
  reportLeaderless(topics, report);
  return report.end(session);
}

/** By the names that an assignment has for them. */
function leadersOf({ name, id, partitions }: LiveTopic): Readonly<Record<string, unknown>> {
  return {
    topicId: id,
    name,
    leaders: partitions.map(({ leader }) => leader),
    leaderEpochs: partitions.map(({ leaderEpoch }) => leaderEpoch),
  };
}

const SHARE_COLUMNS = [
  { title: "BROKER", isNumber: true, cell: (row: BrokerRow): string => String(row.nodeId) },
  { title: "STATE", cell: (row: BrokerRow): string => (row.isFenced ? "fenced" : "alive") },
  { title: "PARTITIONS", isNumber: true, cell: (row: BrokerRow): string => String(row.partitions) },
];

async function showTopic(session: Session, client: KafkaClient, name: string): Promise<ExitCode> {
  const report = new LiveReport();
  const topic = await liveTopic(client, name);
  const wished = await movesOf(client, topic, report);
  const rows = topic.partitions.map(
    ({ partition, leader, leaderEpoch }): PartitionRow => ({
      partition,
      leader,
      leaderEpoch,
      wished: wished.get(partition) ?? [],
    }),
  );
  await session.output.print(rows, () => renderTable(PARTITION_COLUMNS, rows, session.style));
  reportLeaderless([topic], report);
  return report.end(session);
}

/** By partition, the brokers that it is on its way to. */
async function movesOf(
  client: KafkaClient,
  { name, partitions }: LiveTopic,
  report: LiveReport,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const topics = [{ name, partitionIndexes: partitions.map(({ partition }) => partition) }];
  const answer = await client.call("ListPartitionReassignments", { topics });
  if (answer.errorCode !== ErrorCode.NONE) {
    report.refused("where partitions are moving to is not shown", answer.errorCode, answer.errorMessage);
  }
  const moving = answer.topics.flatMap((topic) => topic.partitions);
  return new Map(moving.map(({ partitionIndex, addingReplicas }) => [partitionIndex, addingReplicas]));
}
