import type { BrokerConnection } from "../../client/broker-connection.js";
import type { KafkaClient } from "../../client/kafka-client.js";
import type { LiveReport } from "../live-report.js";
import type { LiveTopic } from "./live-topics.js";

/** Partitions of one topic. */
export interface TopicPartitions {
  readonly topic: string;
  readonly partitions: readonly number[];
}

/** How a partition is called, such as `orders-3`. */
export function partitionName(topic: string, partition: number): string {
  return `${topic}-${partition}`;
}

/** Asks each leader about what it leads, all at once. That one cannot be reached is reported, and the rest goes on. */
export async function askLeaders(
  client: KafkaClient,
  topics: readonly LiveTopic[],
  report: LiveReport,
  ask: (leader: BrokerConnection, led: readonly TopicPartitions[]) => Promise<void>,
): Promise<void> {
  const work = [...ledBy(topics)].map(([leader, led]) =>
    report.attempt(async () => {
      await ask(await client.at(leader), led);
    }),
  );
  await Promise.all(work);
}

/** What each broker leads. */
function ledBy(topics: readonly LiveTopic[]): ReadonlyMap<number, readonly TopicPartitions[]> {
  const led = new Map<number, TopicPartitions[]>();
  for (const { name, partitions } of topics) {
    const byLeader = new Map<number, number[]>();
    for (const { leader, partition } of partitions) if (leader >= 0) listIn(byLeader, leader).push(partition);
    for (const [leader, own] of byLeader) listIn(led, leader).push({ topic: name, partitions: own });
  }
  return led;
}

function listIn<Item>(lists: Map<number, Item[]>, key: number): Item[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const list: Item[] = [];
  lists.set(key, list);
  return list;
}

/** Says which partitions nobody leads. */
export function reportLeaderless(topics: readonly LiveTopic[], report: LiveReport): void {
  for (const { name, partitions } of topics) {
    const without = partitions.filter(({ leader }) => leader < 0).map(({ partition }) => partition);
    if (without.length > 0) report.error(`${name} has partitions that nobody leads: ${without.join(", ")}`);
  }
}
