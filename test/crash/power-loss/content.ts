// All that a client can see of a broker, as one text: two openings of a volume must not differ in it.
import { createHash } from "node:crypto";
import { ApiKey } from "../../../packages/kaas-core/src/messages/generated/index.js";
import type {
  MetadataResponse,
  OffsetFetchResponse,
} from "../../../packages/kaas-core/src/messages/generated/index.js";
import type { WireClient } from "../../lib/wire-client.js";
import { pause } from "../actor.js";
import { readLog } from "../partition-check.js";

type Topics = MetadataResponse["topics"];

/** Resolves with all topics once each of their partitions is led; rejects when that takes too long. */
export async function ledTopics(client: WireClient, seconds = 120): Promise<Topics> {
  for (const end = performance.now() + seconds * 1000; ; await pause(5)) {
    const { topics } = await client.call<MetadataResponse>(ApiKey.Metadata, 12, {
      topics: null,
      allowAutoTopicCreation: false,
    });
    const unled = topics.flatMap(({ name, partitions }) =>
      partitions
        .filter(({ errorCode, leaderId }) => errorCode !== 0 || leaderId < 0)
        .map(({ errorCode, partitionIndex }) => `${name}-${partitionIndex} (error ${errorCode})`),
    );
    if (unled.length === 0) return topics;
    if (performance.now() > end) throw new Error(`not to be opened: ${unled.join(", ")}`);
  }
}

export async function contentOf(client: WireClient, groups: readonly string[]): Promise<string> {
  const lines: string[] = [];
  for (const { name, topicId, partitions } of await ledTopics(client)) {
    lines.push(`${name} ${topicId}`);
    for (const { partitionIndex } of partitions) {
      const { startOffset, endOffset, batches } = await readLog(client, name ?? "", partitionIndex, true);
      const hash = createHash("sha1");
      for (const batch of batches) hash.update(batch);
      lines.push(`${name}-${partitionIndex} ${startOffset} ${endOffset} ${hash.digest("hex")}`);
    }
  }
  for (const groupId of groups) {
    const response = await client.call<OffsetFetchResponse>(ApiKey.OffsetFetch, 8, {
      groups: [{ groupId, topics: null }],
      requireStable: false,
    });
    lines.push(JSON.stringify(response.groups));
  }
  return lines.sort().join("\n");
}

/** The first line in which two contents differ; undefined when they do not. */
export function difference(before: string, after: string): string | undefined {
  const [first, second] = [new Set(before.split("\n")), new Set(after.split("\n"))];
  for (const line of first) if (!second.has(line)) return `no longer: ${line.slice(0, 150)}`;
  for (const line of second) if (!first.has(line)) return `new: ${line.slice(0, 150)}`;
  return undefined;
}
