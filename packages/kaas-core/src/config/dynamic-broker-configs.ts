import { KaasError } from "../errors/kaas-error.js";
import type { ClusterFiles } from "../ports/cluster-files.js";
import type { Json } from "../ports/slot-journals.js";
import { brokerConfigsByName } from "./broker-config-definitions.js";
import { parseConfigValue, refusal } from "./config-value.js";
import { unknownBrokerConfig } from "./static-broker-configs.js";

/** Values by name, as they were set. */
export type ConfigTexts = Readonly<Record<string, string>>;

/** Configurations set at run time: for every broker, and for single ones by node id. */
export interface DynamicConfigs {
  readonly cluster: ConfigTexts;
  readonly brokers: Readonly<Record<string, ConfigTexts>>;
}

/** What was stored, and as which version; nothing when nothing ever was. */
export async function readDynamicConfigs(
  files: ClusterFiles,
): Promise<{ readonly version: number; readonly configs: DynamicConfigs }> {
  const { version, content } = await files.readDocument("broker-configs");
  if (content === undefined) return { version, configs: { cluster: {}, brokers: {} } };
  const { cluster, brokers } = record(content);
  const texts = Object.entries(record(brokers)).map(([id, values]): [string, ConfigTexts] => [id, asTexts(values)]);
  return { version, configs: { cluster: asTexts(cluster), brokers: Object.fromEntries(texts) } };
}

/** Stores all of it in the place of a version; false where that is the newest no more. Durable when it resolves. */
export function writeDynamicConfigs(
  files: ClusterFiles,
  version: number,
  { cluster, brokers }: DynamicConfigs,
): Promise<boolean> {
  return files.writeDocument("broker-configs", version, { cluster, brokers });
}

/** What stands against setting these at run time, for the whole cluster or for one broker. */
export function dynamicConfigsProblem(texts: ConfigTexts, isForCluster: boolean): string | undefined {
  for (const [name, text] of Object.entries(texts)) {
    const definition = brokerConfigsByName.get(name);
    if (definition === undefined) return unknownBrokerConfig(name);
    if (definition.dynamic === undefined) return `Cannot update these configs dynamically: [${name}]`;
    if (definition.dynamic === "broker" && isForCluster) {
      return `Cannot update these configs at default cluster level, broker id must be specified: [${name}]`;
    }
    const parsed = parseConfigValue(definition, text);
    const problem = "problem" in parsed ? parsed.problem : refusal(definition, parsed.value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function record(json: Json | undefined): Readonly<Record<string, Json>> {
  if (json === null || typeof json !== "object" || Array.isArray(json)) throw unreadable();
  return json as Readonly<Record<string, Json>>;
}

function asTexts(json: Json | undefined): ConfigTexts {
  const values = record(json);
  for (const value of Object.values(values)) if (typeof value !== "string") throw unreadable();
  return values as ConfigTexts;
}

function unreadable(): KaasError {
  return new KaasError(
    "KAAS_VOLUME_INVALID",
    "the cluster document broker-configs does not hold broker configurations; restore it or remove it",
  );
}
