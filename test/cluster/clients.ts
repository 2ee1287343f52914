import { Kafka, type KafkaConfig, logLevel, type Producer } from "kafkajs";

/** Impatient, so that what is measured is the cluster and not the client's pauses. */
export function kafka(brokers: readonly string[], clientId = "cluster-test", config: Partial<KafkaConfig> = {}): Kafka {
  return new Kafka({
    clientId,
    brokers: [...brokers],
    logLevel: logLevel.NOTHING,
    connectionTimeout: 500,
    requestTimeout: 1_500,
    enforceRequestTimeout: true,
    retry: { initialRetryTime: 20, maxRetryTime: 100, factor: 0, retries: 1_000 },
    ...config,
  });
}

/** Node id of the leader of a partition, as the cluster tells it; −1 where there is none, or nobody knows the topic yet. */
export async function leaderOf(client: Kafka, topic: string, partition: number): Promise<number> {
  const admin = client.admin();
  await admin.connect();
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return topics[0]?.partitions.find(({ partitionId }) => partitionId === partition)?.leader ?? -1;
  } catch (error) {
    if ((error as { type?: string }).type === "UNKNOWN_TOPIC_OR_PARTITION") return -1;
    throw error;
  } finally {
    await admin.disconnect();
  }
}

export async function connectedProducer(client: Kafka): Promise<Producer> {
  const producer = client.producer({ allowAutoTopicCreation: false, maxInFlightRequests: 1 });
  await producer.connect();
  return producer;
}
