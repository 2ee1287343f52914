// Making topics and looking at them, with answers awaited until the broker serves them.
import { ApiKey } from "../../packages/kaas-core/src/messages/generated/index.js";
import type { CreateTopicsResponse, MetadataResponse } from "../../packages/kaas-core/src/messages/generated/index.js";
import type { WireClient } from "../lib/wire-client.js";

export async function createTopic(
  client: WireClient,
  name: string,
  partitions: number,
  configs: Readonly<Record<string, string>> = {},
): Promise<{ readonly errorCode: number; readonly id: string | undefined; readonly response: object }> {
  const response = await client.call<CreateTopicsResponse>(ApiKey.CreateTopics, 7, {
    topics: [
      {
        name,
        numPartitions: partitions,
        replicationFactor: 1,
        assignments: [],
        configs: Object.entries(configs).map(([key, value]) => ({ name: key, value })),
      },
    ],
    timeoutMs: 30_000,
    validateOnly: false,
  });
  const topic = response.topics[0];
  return { errorCode: topic?.errorCode ?? -1, id: topic?.topicId, response };
}

/** Names and ids of all topics. */
export async function topicIds(client: WireClient): Promise<Map<string, string>> {
  const response = await client.call<MetadataResponse>(ApiKey.Metadata, 12, {
    topics: null,
    allowAutoTopicCreation: false,
  });
  return new Map(response.topics.map((topic) => [topic.name ?? "", topic.topicId]));
}

/** Resolves once every partition has a leader. */
export async function awaitLeaders(client: WireClient, name: string, seconds = 120): Promise<void> {
  for (const end = performance.now() + seconds * 1000; ; ) {
    const response = await client.call<MetadataResponse>(ApiKey.Metadata, 12, {
      topics: [{ topicId: "AAAAAAAAAAAAAAAAAAAAAA", name }],
      allowAutoTopicCreation: false,
    });
    const partitions = response.topics[0]?.partitions ?? [];
    if (partitions.length > 0 && partitions.every((p) => p.errorCode === 0 && p.leaderId >= 0)) return;
    if (performance.now() > end) throw new Error(`${name} has no leaders after ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
