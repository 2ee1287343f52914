import type { GivenConfig } from "./settings.js";

const PREFIX = "KAAS_CFG_";

/**
 * Broker configs from variables such as `KAAS_CFG_NUM_PARTITIONS`. As in Kafka's images, one underscore is a dot, two
 * are an underscore and three a dash.
 */
export function configsOfEnvironment(environment: Readonly<Record<string, string | undefined>>): GivenConfig[] {
  const given: GivenConfig[] = [];
  for (const [variable, value] of Object.entries(environment)) {
    if (value === undefined || !variable.startsWith(PREFIX)) continue;
    given.push({ name: configName(variable.slice(PREFIX.length)), value, origin: variable });
  }
  return given;
}

function configName(words: string): string {
  const separators = [".", "_", "-"];
  return words.toLowerCase().replaceAll(/_{1,3}/g, (underscores) => separators[underscores.length - 1] as string);
}
