import { KaasError } from "../errors/kaas-error.js";
import type { BrokerConfigDefinition } from "./broker-config-definition.js";
import { brokerConfigsByName } from "./broker-config-definitions.js";
import { removedBrokerConfigPrefixes, removedBrokerConfigs } from "./broker-configs-removed.js";
import { parseConfigValue, refusal } from "./config-value.js";
import { idleReason, listenerConfigOf } from "./listener-config-names.js";
import { nearestName } from "./nearest-name.js";

/** Configurations given at the start, checked. */
export interface StaticBrokerConfigs {
  readonly values: ReadonlyMap<string, string>;
  /** Those of one listener alone, by their whole names. */
  readonly listenerValues: ReadonlyMap<string, string>;
  /** One line for each reason why something that was set does nothing. */
  readonly warnings: readonly string[];
}

/**
 * Checks what a broker was started with.
 *
 * @throws KaasError KAAS_CONFIG_INVALID naming the configuration: unknown, unreadable, or one that kaas cannot honour.
 */
export function checkStaticConfigs(given: Readonly<Record<string, string>>): StaticBrokerConfigs {
  const values = new Map<string, string>();
  const listenerValues = new Map<string, string>();
  const idleByReason = new Map<string, string[]>();
  for (const [name, text] of Object.entries(given)) {
    const definition = brokerConfigsByName.get(name);
    if (definition !== undefined) values.set(name, checked(definition, text));
    const ofListener = listenerConfigOf(name);
    if (ofListener !== undefined) listenerValues.set(name, checked(ofListener.definition, text));
    const reason = ofListener === undefined ? reasonOf(name, definition) : ofListener.idleReason;
    if (reason !== undefined) idleByReason.set(reason, [...(idleByReason.get(reason) ?? []), name]);
  }
  joinIds(values);
  const warnings = [...idleByReason].map(([reason, names]) => `no effect in kaas: ${names.join(", ")} (${reason})`);
  return { values, listenerValues, warnings };
}

function checked(definition: BrokerConfigDefinition, text: string): string {
  const parsed = parseConfigValue(definition, text);
  if ("problem" in parsed) throw new KaasError("KAAS_CONFIG_INVALID", parsed.problem);
  const refused = refusal(definition, parsed.value);
  if (refused !== undefined) throw new KaasError("KAAS_CONFIG_INVALID", refused);
  return text;
}

function reasonOf(name: string, definition: BrokerConfigDefinition | undefined): string | undefined {
  return definition === undefined ? strangerReason(name) : idleReason(definition, "");
}

/** Why a name outside the table is taken all the same; throws when it is not. */
function strangerReason(name: string): string {
  const removed = removedBrokerConfigs.get(name);
  if (removed !== undefined) return removed;
  for (const [prefix, reason] of removedBrokerConfigPrefixes) if (name.startsWith(prefix)) return reason;
  throw new KaasError("KAAS_CONFIG_INVALID", unknownBrokerConfig(name));
}

/** What to say of a name that is no broker configuration. */
export function unknownBrokerConfig(name: string): string {
  const near = nearestName(name, brokerConfigsByName.keys());
  return `Unknown broker config name: ${name}${near === undefined ? "" : `. Did you mean ${near}?`}`;
}

/** `broker.id` is the older name of `node.id`; Kafka shows both. */
function joinIds(values: Map<string, string>): void {
  const nodeId = values.get("node.id");
  const brokerId = values.get("broker.id");
  if (nodeId !== undefined && brokerId !== undefined && Number(nodeId) !== Number(brokerId)) {
    throw new KaasError("KAAS_CONFIG_INVALID", `node.id=${nodeId} and broker.id=${brokerId} must be the same`);
  }
  const id = nodeId ?? brokerId ?? (brokerConfigsByName.get("node.id")?.defaultValue as string);
  if (Number(id) < 0) throw new KaasError("KAAS_CONFIG_INVALID", `broker.id=${id} must be at least 0`);
  values.set("node.id", id).set("broker.id", id);
}
