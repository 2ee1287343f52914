import { KaasError } from "../errors/kaas-error.js";
import type { LogConfig } from "../ports/partition-logs.js";
import type { TopicOverrides } from "../ports/topics.js";
import { BrokerConfig } from "./broker-config.js";
import type { ConfigValue } from "./config-definition.js";
import { parseConfigValue, refusal } from "./config-value.js";
import { nearestName } from "./nearest-name.js";
import { type TopicConfigDefinition, topicConfigsByName } from "./topic-config-definitions.js";

/** A topic's configuration, parsed, with the broker's defaults filled in. */
export type TopicConfig = LogConfig;

/** A configuration that is not acceptable, and why. */
export interface ConfigProblem {
  readonly name: string;
  readonly message: string;
}

/** The text of one topic configuration: the topic's own value, else the broker's, else the default. */
export function topicConfigText(
  definition: TopicConfigDefinition,
  overrides: TopicOverrides,
  brokerConfig: BrokerConfig,
): string | null {
  const own = overrides[definition.name];
  if (own !== undefined) return own;
  if (definition.brokerConfig === undefined) return definition.defaultValue;
  return brokerConfig.text(definition.brokerConfig) ?? definition.defaultValue;
}

/**
 * Parses a topic's configuration. Overrides were validated when they were set; a `KaasError` of code
 * `KAAS_CONFIG_INVALID` says that one of them is unreadable all the same.
 */
export function resolveTopicConfig(overrides: TopicOverrides, brokerConfig: BrokerConfig): TopicConfig {
  const value = (name: string): ConfigValue | undefined => resolve(name, overrides, brokerConfig);
  const number = (name: string): number => value(name) as number;
  const policy = value("cleanup.policy") as readonly string[];
  return {
    segmentBytes: (value("internal.segment.bytes") as number | undefined) ?? number("segment.bytes"),
    segmentMs: number("segment.ms"),
    segmentJitterMs: number("segment.jitter.ms"),
    segmentIndexBytes: number("segment.index.bytes"),
    indexIntervalBytes: number("index.interval.bytes"),
    retentionMs: number("retention.ms"),
    retentionBytes: number("retention.bytes"),
    cleanupPolicy: { delete: policy.includes("delete"), compact: policy.includes("compact") },
    deleteRetentionMs: number("delete.retention.ms"),
    minCompactionLagMs: number("min.compaction.lag.ms"),
    maxCompactionLagMs: number("max.compaction.lag.ms"),
    minCleanableDirtyRatio: number("min.cleanable.dirty.ratio"),
    fileDeleteDelayMs: number("file.delete.delay.ms"),
    flushMessages: number("flush.messages"),
    flushMs: number("flush.ms"),
    maxMessageBytes: number("max.message.bytes"),
    maxDecompressedMessageBytes: number("max.decompressed.message.bytes"),
    compressionType: value("compression.type") as TopicConfig["compressionType"],
    compressionLevels: {
      gzip: number("compression.gzip.level"),
      lz4: number("compression.lz4.level"),
      zstd: number("compression.zstd.level"),
    },
    messageTimestampType: value("message.timestamp.type") as TopicConfig["messageTimestampType"],
    messageTimestampBeforeMaxMs: number("message.timestamp.before.max.ms"),
    messageTimestampAfterMaxMs: number("message.timestamp.after.max.ms"),
    preallocate: value("preallocate") as boolean,
  };
}

/**
 * The configuration of a topic without a broker: Kafka's names and texts, kaas's defaults for what is left out.
 *
 * @throws KaasError KAAS_CONFIG_INVALID naming the configuration that is unknown, unreadable or not supported.
 */
export function logConfigOf(overrides: TopicOverrides = {}): LogConfig {
  const problem = validateTopicOverrides(overrides);
  if (problem !== undefined) throw new KaasError("KAAS_CONFIG_INVALID", problem.message);
  return resolveTopicConfig(overrides, new BrokerConfig({}));
}

/** The first of a topic's configurations that is not acceptable; undefined when all are. */
export function validateTopicOverrides(overrides: TopicOverrides): ConfigProblem | undefined {
  for (const [name, text] of Object.entries(overrides)) {
    const message = overrideProblem(name, text);
    if (message !== undefined) return { name, message };
  }
  return compactionLagProblem(overrides);
}

function overrideProblem(name: string, text: string): string | undefined {
  const definition = topicConfigsByName.get(name);
  if (definition === undefined) return unknownTopicConfig(name);
  const parsed = parseConfigValue(definition, text);
  return "problem" in parsed ? parsed.problem : refusal(definition, parsed.value);
}

/** What to say of a name that is no topic configuration. */
function unknownTopicConfig(name: string): string {
  const near = nearestName(name, topicConfigsByName.keys());
  return `Unknown topic config name: ${name}${near === undefined ? "" : `. Did you mean ${near}?`}`;
}

/** Kafka refuses a least lag above the greatest. Only what the topic sets itself is compared, as the rest may change. */
function compactionLagProblem(overrides: TopicOverrides): ConfigProblem | undefined {
  const min = overrides["min.compaction.lag.ms"];
  const max = overrides["max.compaction.lag.ms"];
  if (min === undefined || max === undefined || BigInt(min.trim()) <= BigInt(max.trim())) return undefined;
  const message = `conflict topic config setting min.compaction.lag.ms (${min}) > max.compaction.lag.ms (${max})`;
  return { name: "min.compaction.lag.ms", message };
}

function resolve(name: string, overrides: TopicOverrides, brokerConfig: BrokerConfig): ConfigValue | undefined {
  const definition = topicConfigsByName.get(name) as TopicConfigDefinition;
  const text = topicConfigText(definition, overrides, brokerConfig);
  if (text === null) return undefined;
  const parsed = parseConfigValue(definition, text);
  if ("problem" in parsed) throw new KaasError("KAAS_CONFIG_INVALID", parsed.problem);
  return parsed.value;
}
