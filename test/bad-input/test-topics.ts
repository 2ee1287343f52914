import type { CreateTopicsResponse } from "../../packages/kaas-core/src/messages/generated/index.js";
import { RawClient } from "../../packages/kaas-core/test/fakes/raw-client.js";

const CREATE_TOPICS = 19;

/** Creates topics and returns their ids. */
export async function createTopics(port: number, names: readonly string[], numPartitions: number): Promise<string[]> {
  const client = await RawClient.connect(port);
  const topics = names.map((name) => ({ name, numPartitions, replicationFactor: 1, assignments: [], configs: [] }));
  client.request(CREATE_TOPICS, 7, 1, { topics, timeoutMs: 30_000 });
  const { response } = await client.answer<CreateTopicsResponse>(CREATE_TOPICS, 7);
  client.close();
  for (const { name, errorCode, errorMessage } of response.topics) {
    if (errorCode !== 0) throw new Error(`topic ${name} cannot be created: error ${errorCode}, ${errorMessage ?? ""}`);
  }
  return response.topics.map(({ topicId }) => topicId);
}
