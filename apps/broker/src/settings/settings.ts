import { BrokerConfig, KaasError } from "@kaas/core";
import { parseProperties, PropertiesError } from "@kaas/core/internal";
import { type ClusterSettings, clusterSettingsOf, type HealthSettings, healthSettingsOf } from "./cluster-settings.js";
import type { CommandLine } from "./command-line.js";
import { configsOfEnvironment } from "./environment.js";
import { configsOfListeners } from "./listeners-json.js";
import { UsageError } from "./usage-error.js";

/** A broker config, and where it was given, for messages. */
export interface GivenConfig {
  readonly name: string;
  readonly value: string;
  /** Such as `--override`, `KAAS_CFG_NUM_PARTITIONS` or `server.properties:12`. */
  readonly origin: string;
}

/** Where settings come from. */
export interface SettingsSources {
  readonly commandLine: CommandLine;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads the file of `--config`. */
  readFile(path: string): string;
}

/** What a broker process is to be. */
export interface Settings {
  readonly config: BrokerConfig;
  readonly memory: boolean;
  /** Where probes and metrics are answered; undefined: nowhere. */
  readonly health: HealthSettings | undefined;
  /** Undefined where this broker is alone. */
  readonly cluster: ClusterSettings | undefined;
}

/**
 * Puts together what was asked for. The strongest first: options, `--override`, `KAAS_DATA_DIR` and `KAAS_LISTENERS`,
 * `KAAS_CFG_…`, the file.
 *
 * @throws UsageError naming the setting, where it was given, and what would be right.
 */
export function settingsOf({ commandLine, environment, readFile }: SettingsSources): Settings {
  const { memory, dataDirectory } = commandLine;
  if (memory && dataDirectory !== undefined) throw new UsageError("--memory and --data-dir exclude each other");
  const cluster = clusterSettingsOf(environment, readFile);
  if (cluster !== undefined && memory) throw new UsageError("--memory and MY_POD_NAME exclude each other");
  const health = healthSettingsOf(environment, cluster !== undefined);
  const weakestFirst = [
    ...nodeIdOf(cluster),
    ...configsOfFile(commandLine.configFile, readFile),
    ...configsOfEnvironment(environment),
    ...ofVariable(environment.KAAS_LISTENERS, configsOfListeners),
    ...ofVariable(environment.KAAS_DATA_DIR, (value) => [{ name: "log.dirs", value, origin: "KAAS_DATA_DIR" }]),
    ...commandLine.overrides.map((override) => ({ ...override, origin: "--override" })),
    ...ofVariable(commandLine.listeners, (value) => [{ name: "listeners", value, origin: "--listeners" }]),
    ...ofVariable(dataDirectory, (value) => [{ name: "log.dirs", value, origin: "--data-dir" }]),
  ];
  const config = configOf(weakestFirst);
  rejectOtherNodeId(config, cluster);
  return { config, memory, health, cluster };
}

/** A pod's number is its node id. */
function nodeIdOf(cluster: ClusterSettings | undefined): GivenConfig[] {
  if (cluster === undefined) return [];
  return [{ name: "node.id", value: `${cluster.identity.ordinal}`, origin: "MY_POD_NAME" }];
}

function rejectOtherNodeId(config: BrokerConfig, cluster: ClusterSettings | undefined): void {
  if (cluster === undefined || config.nodeId === cluster.identity.ordinal) return;
  const { name, ordinal } = cluster.identity;
  throw new UsageError(`node.id=${config.nodeId}: that of the pod ${name} is ${ordinal}; leave it out`);
}

/** An empty variable counts as one that is not set. */
function ofVariable(value: string | undefined, configs: (value: string) => GivenConfig[]): GivenConfig[] {
  return value === undefined || value === "" ? [] : configs(value);
}

function configsOfFile(path: string | undefined, readFile: (path: string) => string): GivenConfig[] {
  if (path === undefined) return [];
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    throw new UsageError(`--config ${path} cannot be read: ${(error as Error).message}`);
  }
  try {
    return parseProperties(text).map(({ name, value, line }) => ({ name, value, origin: `${path}:${line}` }));
  } catch (error) {
    if (error instanceof PropertiesError) throw new UsageError(`${path}, ${error.message}`);
    throw error;
  }
}

function configOf(weakestFirst: readonly GivenConfig[]): BrokerConfig {
  const inForce = new Map(weakestFirst.map((given) => [given.name, given]));
  // One at a time first, so that a message can say where the value was given.
  for (const { name, value, origin } of inForce.values()) usable(`${origin}: `, { [name]: value });
  return usable("", Object.fromEntries([...inForce.values()].map(({ name, value }) => [name, value])));
}

function usable(where: string, values: Readonly<Record<string, string>>): BrokerConfig {
  try {
    return new BrokerConfig(values);
  } catch (error) {
    if (error instanceof KaasError) throw new UsageError(`${where}${error.message}`);
    throw error;
  }
}
