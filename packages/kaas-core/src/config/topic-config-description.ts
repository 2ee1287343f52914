import type { TopicOverrides } from "../ports/topics.js";
import type { BrokerConfig, SourcedText } from "./broker-config.js";
import { brokerConfigSourceCode, type ConfigEntry, ConfigSource, type ConfigSynonym } from "./config-entry.js";
import type { ConfigType } from "./config-definition.js";
import { canonicalText } from "./config-value.js";
import { type TopicConfigDefinition, topicConfigDefinitions } from "./topic-config-definitions.js";

/** Every configuration of a topic: its value, where that comes from, and what else would have given one. */
export function describeTopicConfigs(overrides: TopicOverrides, brokerConfig: BrokerConfig): readonly ConfigEntry[] {
  return topicConfigDefinitions
    .filter(({ name, internal }) => internal !== true || overrides[name] !== undefined)
    .map((definition) => describe(definition, overrides, brokerConfig));
}

function describe(
  definition: TopicConfigDefinition,
  overrides: TopicOverrides,
  brokerConfig: BrokerConfig,
): ConfigEntry {
  const { name, type, defaultValue, documentation } = definition;
  const own = overrides[name] === undefined ? undefined : canonicalText(type, overrides[name]);
  const inherited = definition.brokerConfig === undefined ? [] : brokerConfig.sourced(definition.brokerConfig);
  const synonyms: ConfigSynonym[] = own === undefined ? [] : [{ name, value: own, source: ConfigSource.DYNAMIC_TOPIC }];
  if (isTelling(definition, inherited)) {
    for (const { name: from, given, source } of inherited) {
      synonyms.push({ name: from, value: given, source: brokerConfigSourceCode[source] });
    }
  }
  return {
    name,
    value: own ?? inheritedText(type, inherited) ?? defaultValue,
    readOnly: false,
    isSensitive: false,
    source: synonyms[0]?.source ?? ConfigSource.DEFAULT,
    synonyms,
    type,
    documentation,
  };
}

function inheritedText(type: ConfigType, [strongest]: readonly SourcedText[]): string | undefined {
  return strongest === undefined ? undefined : canonicalText(type, strongest.text);
}

/** Kafka does not name a default that is another configuration's, such as log.retention.hours for retention.ms. */
function isTelling(definition: TopicConfigDefinition, inherited: readonly SourcedText[]): boolean {
  return inherited.some(({ name, source }) => source !== "default" || name === definition.brokerConfig);
}
