import { ErrorCode } from "@kaas/core";
import type { KafkaClient } from "../../client/kafka-client.js";
import type { LiveReport } from "../live-report.js";
import type { LiveTopic } from "./live-topics.js";

const TOPIC_RESOURCE = 2;
/** Where a value comes from that was set for the topic itself. */
const TOPIC_SOURCE = 1;
/** Each topic has some forty configurations; an answer is bounded. */
const TOPICS_PER_REQUEST = 500;

/** By topic, what was set for it; without those whose configurations the user may not see. */
export async function topicOverrides(
  client: KafkaClient,
  topics: readonly LiveTopic[],
  report: LiveReport,
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const overrides = new Map<string, Readonly<Record<string, string>>>();
  for (let at = 0; at < topics.length; at += TOPICS_PER_REQUEST) {
    const resources = topics.slice(at, at + TOPICS_PER_REQUEST).map(({ name }) => ({
      resourceType: TOPIC_RESOURCE,
      resourceName: name,
      configurationKeys: null,
    }));
    const { results } = await client.call("DescribeConfigs", { resources });
    for (const { resourceName, errorCode, errorMessage, configs } of results) {
      if (errorCode === ErrorCode.NONE) {
        const own = configs.filter(({ configSource }) => configSource === TOPIC_SOURCE);
        overrides.set(resourceName, Object.fromEntries(own.map(({ name, value }) => [name, value ?? ""])));
      } else if (errorCode === ErrorCode.TOPIC_AUTHORIZATION_FAILED) {
        report.note("configurations are not all shown: the user needs DESCRIBE_CONFIGS on the topics");
      } else if (errorCode !== ErrorCode.UNKNOWN_TOPIC_OR_PARTITION) {
        // One that is gone meanwhile has none.
        report.refused(`the configuration of ${resourceName} is not shown`, errorCode, errorMessage);
      }
    }
  }
  return overrides;
}
