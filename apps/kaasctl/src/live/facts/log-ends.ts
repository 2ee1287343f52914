import { ErrorCode } from "@kaas/core";
import type { BrokerConnection } from "../../client/broker-connection.js";
import type { KafkaClient } from "../../client/kafka-client.js";
import type { LiveReport } from "../live-report.js";
import { askLeaders, partitionName, type TopicPartitions } from "./by-leader.js";
import type { LiveTopic } from "./live-topics.js";

/** Kafka's stand-ins for a timestamp: the first offset, and the one behind the last that consumers may read. */
export const LogPlace = { START: -2, END: -1 } as const;

const ANY_REPLICA = -1;
const NO_EPOCH = -1;

/** By the partition's name, the offset of a place in it, from its leader; without those that are not known. */
export async function logOffsets(
  client: KafkaClient,
  topics: readonly LiveTopic[],
  place: (typeof LogPlace)[keyof typeof LogPlace],
  report: LiveReport,
): Promise<ReadonlyMap<string, number>> {
  const offsets = new Map<string, number>();
  await askLeaders(client, topics, report, async (leader, led) => {
    for (const { topic, partition, errorCode, offset } of await ask(leader, led, place)) {
      if (errorCode === ErrorCode.NONE) offsets.set(partitionName(topic, partition), offset);
      else report.refused(`offsets of ${partitionName(topic, partition)} are not shown`, errorCode);
    }
  });
  return offsets;
}

async function ask(leader: BrokerConnection, led: readonly TopicPartitions[], timestamp: number) {
  const asked = (partitionIndex: number) => ({ partitionIndex, timestamp, currentLeaderEpoch: NO_EPOCH });
  const topics = led.map(({ topic, partitions }) => ({ name: topic, partitions: partitions.map(asked) }));
  const answer = await leader.call("ListOffsets", { replicaId: ANY_REPLICA, topics });
  return answer.topics.flatMap(({ name, partitions }) =>
    partitions.map(({ partitionIndex, errorCode, offset }) => ({
      topic: name,
      partition: partitionIndex,
      errorCode,
      offset,
    })),
  );
}
