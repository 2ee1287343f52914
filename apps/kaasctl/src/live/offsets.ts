import { ErrorCode } from "@kaas/core";
import type { messages } from "@kaas/core/internal";
import type { KafkaClient } from "../client/kafka-client.js";
import { ClusterError } from "../client/cluster-error.js";
import { describeError, refusal } from "../client/refusal.js";
import { shownNumber } from "../output/shown.js";
import { renderFields, renderTable } from "../output/table.js";
import type { Action } from "../session.js";
import { UsageError } from "../usage-error.js";
import { partitionName } from "./facts/by-leader.js";
import { LogPlace, logOffsets } from "./facts/log-ends.js";
import { type LiveTopic, liveTopics } from "./facts/live-topics.js";
import { LiveReport } from "./live-report.js";

/** The newest version that names topics by name, for groups that commit for a topic that is gone as well. */
const OFFSETS_BY_NAME = 9;

interface OffsetRow {
  readonly topic: string;
  readonly topicId: string | null;
  readonly partition: number;
  readonly offset: number;
  readonly leaderEpoch: number;
  readonly metadata: string;
  readonly highWatermark: number | null;
  /** How many offsets lie between what was committed and the high watermark. */
  readonly lag: number | null;
}

/** `offsets show GROUP`, by the brokers. */
export function showLiveOffsets(name: string): Action {
  return async (session) => {
    const client = await session.connect();
    const report = new LiveReport();
    const group = await listed(client, name);
    const offsets = await rowsOf(client, await committed(client, name, report), report);
    if (group === undefined && offsets.length === 0) throw new UsageError(`there is no group ${name} in the cluster`);
    const { groupType: type = "", protocolType = "", groupState: state = "" } = group ?? {};
    const value = { group: name, type, protocolType: protocolType === "" ? null : protocolType, state, offsets };
    await session.output.print(value, () => {
      const fields = renderFields(
        [
          ["group", name],
          ["type", type || "-"],
          ["protocol type", protocolType || "-"],
          ["state", state || "-"],
        ],
        session.style,
      );
      return `${fields}\n${renderTable(COLUMNS, offsets, session.style)}`;
    });
    return report.end(session);
  };
}

/** What a group's coordinator says of it; undefined for one that it does not know. */
async function listed(client: KafkaClient, name: string): Promise<messages.ListGroupsResponseListedGroup | undefined> {
  const { errorCode, groups } = await client.askCoordinator(name, (coordinator) => coordinator.call("ListGroups", {}));
  if (errorCode !== ErrorCode.NONE) throw refusal(`group ${name} is not shown`, errorCode);
  const group = groups.find(({ groupId }) => groupId === name);
  if (group?.groupType.toLowerCase() !== "share") return group;
  throw new ClusterError(
    `${name} is a share group, which commits no offsets; kafka-share-groups.sh shows how far it is`,
  );
}

interface Committed extends messages.OffsetFetchResponsePartitions {
  readonly topic: string;
}

async function committed(client: KafkaClient, name: string, report: LiveReport): Promise<readonly Committed[]> {
  const request = { groupId: name, topics: null, groups: [{ groupId: name, topics: null }], requireStable: false };
  const { errorCode, topics } = await client.askCoordinator(name, async (coordinator) => {
    const answer = await coordinator.call("OffsetFetch", request, OFFSETS_BY_NAME);
    return answer.groups[0] ?? answer;
  });
  if (errorCode === ErrorCode.GROUP_ID_NOT_FOUND) return [];
  if (errorCode !== ErrorCode.NONE) throw refusal(`what group ${name} committed is not shown`, errorCode);
  const all = topics.flatMap((topic) => topic.partitions.map((one) => ({ topic: topic.name, ...one })));
  for (const { topic, partitionIndex, errorCode: code } of all) {
    if (code !== ErrorCode.NONE) report.error(`${partitionName(topic, partitionIndex)}: ${describeError(code)}`);
  }
  return all.filter((one) => one.errorCode === ErrorCode.NONE && one.committedOffset >= 0);
}

async function rowsOf(
  client: KafkaClient,
  offsets: readonly Committed[],
  report: LiveReport,
): Promise<readonly OffsetRow[]> {
  const topics = concerned(await liveTopics(client), offsets);
  const ends = await logOffsets(client, topics, LogPlace.END, report);
  const rows = offsets.map(({ topic, partitionIndex, committedOffset, committedLeaderEpoch, metadata }): OffsetRow => {
    const end = ends.get(partitionName(topic, partitionIndex)) ?? null;
    return {
      topic,
      topicId: topics.find(({ name }) => name === topic)?.id ?? null,
      partition: partitionIndex,
      offset: committedOffset,
      leaderEpoch: committedLeaderEpoch,
      metadata: metadata ?? "",
      highWatermark: end,
      lag: end === null ? null : Math.max(0, end - committedOffset),
    };
  });
  return rows.sort((one, other) => compare(one.topic, other.topic) || one.partition - other.partition);
}

/** The topics, with the partitions that something was committed for. */
function concerned(topics: readonly LiveTopic[], offsets: readonly Committed[]): readonly LiveTopic[] {
  const wanted = new Set(offsets.map(({ topic, partitionIndex }) => partitionName(topic, partitionIndex)));
  return topics
    .map((topic) => ({
      ...topic,
      partitions: topic.partitions.filter(({ partition }) => wanted.has(partitionName(topic.name, partition))),
    }))
    .filter(({ partitions }) => partitions.length > 0);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

const COLUMNS = [
  { title: "TOPIC", cell: (row: OffsetRow): string => row.topic },
  { title: "PARTITION", isNumber: true, cell: (row: OffsetRow): string => String(row.partition) },
  { title: "OFFSET", isNumber: true, cell: (row: OffsetRow): string => String(row.offset) },
  { title: "END", isNumber: true, cell: (row: OffsetRow): string => shownNumber(row.highWatermark ?? undefined) },
  { title: "LAG", isNumber: true, cell: (row: OffsetRow): string => shownNumber(row.lag ?? undefined) },
  { title: "EPOCH", isNumber: true, cell: (row: OffsetRow): string => shownNumber(row.leaderEpoch) },
  { title: "METADATA", cell: (row: OffsetRow): string => (row.metadata === "" ? "" : JSON.stringify(row.metadata)) },
];
