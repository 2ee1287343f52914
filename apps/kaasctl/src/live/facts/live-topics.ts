import { ErrorCode } from "@kaas/core";
import { type messages, ZERO_UUID } from "@kaas/core/internal";
import { ClusterError } from "../../client/cluster-error.js";
import type { KafkaClient } from "../../client/kafka-client.js";
import { refusal } from "../../client/refusal.js";
import { UsageError } from "../../usage-error.js";

/** Who leads a partition, as brokers tell their clients. */
export interface LivePartition {
  readonly partition: number;
  /** −1: nobody. */
  readonly leader: number;
  /** −1: not known. */
  readonly leaderEpoch: number;
  readonly errorCode: number;
}

/** A topic that the user may see. */
export interface LiveTopic {
  readonly name: string;
  readonly id: string | null;
  readonly partitions: readonly LivePartition[];
}

/** How many partitions are asked for at a time; Kafka's limit is as high. */
const PAGE_PARTITIONS = 2_000;

type Answered = messages.DescribeTopicPartitionsResponseTopic | messages.MetadataResponseTopic;
type Cursor = messages.DescribeTopicPartitionsResponseCursor;

/** All topics that the user may see, by name. */
export async function liveTopics(client: KafkaClient): Promise<readonly LiveTopic[]> {
  const topics = new Map<string, LiveTopic>();
  for (const topic of await describe(client, undefined)) if (topic.errorCode === ErrorCode.NONE) add(topics, topic);
  return [...topics.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * One topic.
 *
 * @throws UsageError when there is none of that name
 * @throws ClusterError when brokers do not tell
 */
export async function liveTopic(client: KafkaClient, name: string): Promise<LiveTopic> {
  const topics = new Map<string, LiveTopic>();
  for (const topic of await describe(client, name)) {
    const { errorCode } = topic;
    if (errorCode === ErrorCode.UNKNOWN_TOPIC_OR_PARTITION || errorCode === ErrorCode.INVALID_TOPIC_EXCEPTION) {
      throw new UsageError(`there is no topic ${name} in the cluster`);
    }
    if (errorCode !== ErrorCode.NONE) throw refusal(`topic ${name} is not shown`, errorCode);
    add(topics, topic);
  }
  const topic = topics.get(name);
  if (topic === undefined) throw new UsageError(`there is no topic ${name} in the cluster`);
  return topic;
}

/** Puts pages together: a topic may begin on one and go on on the next. */
function add(topics: Map<string, LiveTopic>, { name, topicId, partitions }: Answered): void {
  if (name === null) return;
  const more = partitions.map(({ partitionIndex, leaderId, leaderEpoch, errorCode }) => ({
    partition: partitionIndex,
    leader: leaderId,
    leaderEpoch,
    errorCode,
  }));
  const all = [...(topics.get(name)?.partitions ?? []), ...more].sort((one, other) => one.partition - other.partition);
  topics.set(name, { name, id: topicId === ZERO_UUID ? null : topicId, partitions: all });
}

async function describe(client: KafkaClient, name: string | undefined): Promise<readonly Answered[]> {
  if (client.serves("DescribeTopicPartitions")) return describeByPages(client, name);
  const topics = name === undefined ? null : [{ name }];
  return (await client.call("Metadata", { topics, allowAutoTopicCreation: false })).topics;
}

async function describeByPages(client: KafkaClient, name: string | undefined): Promise<readonly Answered[]> {
  const topics = name === undefined ? [] : [{ name }];
  const pages: Answered[] = [];
  for (let cursor: Cursor | null = null; ; ) {
    const request = { topics, responsePartitionLimit: PAGE_PARTITIONS, cursor };
    const answer: messages.DescribeTopicPartitionsResponse = await client.call("DescribeTopicPartitions", request);
    pages.push(...answer.topics);
    const next = answer.nextCursor;
    if (next === null) return pages;
    if (!isBehind(next, cursor)) throw new ClusterError("the broker tells the same topics again and again");
    cursor = next;
  }
}

function isBehind(next: Cursor, last: Cursor | null): boolean {
  if (last === null || next.topicName > last.topicName) return true;
  return next.topicName === last.topicName && next.partitionIndex > last.partitionIndex;
}
