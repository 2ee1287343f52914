import type { BrokerConfigDefinition } from "./broker-config-definition.js";
import { authorizationBrokerConfigs } from "./broker-configs-authorization.js";
import { compressionBrokerConfigs } from "./broker-configs-compression.js";
import { logBrokerConfigs } from "./broker-configs-log.js";
import { meaninglessBrokerConfigs } from "./broker-configs-meaningless.js";
import { refusedBrokerConfigs } from "./broker-configs-refused.js";
import { securityBrokerConfigs } from "./broker-configs-security.js";
import { serverBrokerConfigs } from "./broker-configs-server.js";
import { unservedBrokerConfigs } from "./broker-configs-unserved.js";

/** Every broker configuration of Apache Kafka 4.4, by name, and what it does in kaas. */
export const brokerConfigDefinitions: readonly BrokerConfigDefinition[] = [
  ...compressionBrokerConfigs,
  ...logBrokerConfigs,
  ...serverBrokerConfigs,
  ...securityBrokerConfigs,
  ...authorizationBrokerConfigs,
  ...meaninglessBrokerConfigs,
  ...unservedBrokerConfigs,
  ...refusedBrokerConfigs,
].sort((a, b) => (a.name < b.name ? -1 : 1));

/** Broker configurations by name. */
export const brokerConfigsByName: ReadonlyMap<string, BrokerConfigDefinition> = new Map(
  brokerConfigDefinitions.map((definition) => [definition.name, definition]),
);
