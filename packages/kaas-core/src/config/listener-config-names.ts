import type { BrokerConfigDefinition } from "./broker-config-definition.js";
import { brokerConfigsByName } from "./broker-config-definitions.js";

/** Names such as `listener.name.internal.ssl.keystore.location` and `listener.name.internal.plain.sasl.jaas.config`. */
const OF_LISTENER = /^listener\.name\.[^.]+\.((?:sasl|ssl)\..+|connections\.max\.reauth\.ms)$/;
const OF_MECHANISM = /^listener\.name\.[^.]+\.(plain|scram-sha-256|scram-sha-512|gssapi|oauthbearer)\.(.+)$/;

/** What a name sets for one listener. */
export interface NamedListenerConfig {
  readonly definition: BrokerConfigDefinition;
  /** Why it does nothing; undefined when it does. */
  readonly idleReason: string | undefined;
}

/** The configuration that a name sets for one listener, or one mechanism of it; undefined when it is no such name. */
export function listenerConfigOf(name: string): NamedListenerConfig | undefined {
  const [, mechanism = "", ofMechanism] = OF_MECHANISM.exec(name) ?? [];
  const base = ofMechanism ?? OF_LISTENER.exec(name)?.[1];
  const definition = base === undefined ? undefined : brokerConfigsByName.get(base);
  if (definition === undefined) return undefined;
  return { definition, idleReason: idleReason(definition, mechanism) };
}

/** Why a configuration does nothing for all listeners, or for one, or for a mechanism of it; undefined when it does. */
export function idleReason(
  { name, standing, documentation }: BrokerConfigDefinition,
  mechanism: string,
): string | undefined {
  if (name !== "sasl.jaas.config") return standing === "accepted" ? documentation : undefined;
  if (mechanism === "")
    return "a login module belongs to a listener and a mechanism: listener.name.<name>.plain.sasl.jaas.config";
  if (mechanism === "plain") return undefined;
  return mechanism.startsWith("scram")
    ? "SCRAM users are those of credentials.json"
    : `${mechanism.toUpperCase()} is not served`;
}
