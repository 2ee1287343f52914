import { ErrorCode } from "@kaas/core";
import type { KafkaClient } from "../../client/kafka-client.js";
import type { LiveReport } from "../live-report.js";
import { askLeaders, partitionName } from "./by-leader.js";
import type { LiveTopic } from "./live-topics.js";

/** By the partition's name, how much room its leader says that it takes; without those that are not known. */
export async function partitionSizes(
  client: KafkaClient,
  topics: readonly LiveTopic[],
  report: LiveReport,
): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  await askLeaders(client, topics, report, async (leader, led) => {
    const { errorCode, results } = await leader.call("DescribeLogDirs", { topics: led });
    if (errorCode !== ErrorCode.NONE) report.refused("sizes are not shown", errorCode);
    for (const { errorCode: ofDirectory, logDir, topics: found } of results) {
      if (ofDirectory !== ErrorCode.NONE) report.refused(`${leader.address}: log directory ${logDir}`, ofDirectory);
      for (const { name, partitions } of found) {
        for (const { partitionIndex, partitionSize, isFutureKey } of partitions) {
          if (!isFutureKey) sizes.set(partitionName(name, partitionIndex), partitionSize);
        }
      }
    }
  });
  return sizes;
}
