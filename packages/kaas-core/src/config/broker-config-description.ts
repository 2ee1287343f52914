import type { BrokerConfig } from "./broker-config.js";
import type { BrokerConfigDefinition } from "./broker-config-definition.js";
import { brokerConfigDefinitions, brokerConfigsByName } from "./broker-config-definitions.js";
import { canonicalText } from "./config-value.js";
import { brokerConfigSourceCode, type ConfigEntry, ConfigSource } from "./config-entry.js";

/** Every configuration of this broker: its value, where that comes from, and what else would have given one. */
export function describeBrokerConfigs(config: BrokerConfig): readonly ConfigEntry[] {
  return brokerConfigDefinitions
    .filter(
      ({ name, internal }) => internal !== true || config.sourced(name).some(({ source }) => source !== "default"),
    )
    .map((definition) => describe(definition, config));
}

/** What was set at run time for every broker of the cluster. */
export function describeClusterConfigs(config: BrokerConfig): readonly ConfigEntry[] {
  const source = ConfigSource.DYNAMIC_DEFAULT_BROKER;
  return Object.entries(config.dynamicTexts()).flatMap(([name, value]) => {
    const definition = brokerConfigsByName.get(name);
    // A name that a later version stored, and this one does not know.
    if (definition === undefined) return [];
    return [{ ...entry(definition), value, source, synonyms: [{ name, value, source }] }];
  });
}

function describe(definition: BrokerConfigDefinition, config: BrokerConfig): ConfigEntry {
  const sourced = config.sourced(definition.name);
  const [own] = sourced.filter(({ name }) => name === definition.name);
  const isSensitive = definition.type === "password";
  // What a configuration falls back to is named only beside a value of its own, as in Kafka.
  const synonyms = own === undefined ? [] : sourced;
  return {
    ...entry(definition),
    value: isSensitive || own === undefined ? null : canonicalText(definition.type, own.given),
    source: brokerConfigSourceCode[own?.source ?? "default"],
    synonyms: synonyms.map(({ name, given, source }) => ({
      name,
      value: isSensitive ? null : given,
      source: brokerConfigSourceCode[source],
    })),
  };
}

function entry({
  name,
  type,
  dynamic,
  documentation,
}: BrokerConfigDefinition): Omit<ConfigEntry, "value" | "source" | "synonyms"> {
  return { name, readOnly: dynamic === undefined, isSensitive: type === "password", type, documentation };
}
