import type { BrokerConfigDefinition } from "./broker-config-definition.js";

/** Broker configurations that would be a promise which kaas does not keep: any value but the default stops the start. */
export const refusedBrokerConfigs: readonly BrokerConfigDefinition[] = [
  {
    name: "alter.config.policy.class.name",
    type: "class",
    defaultValue: null,
    standing: "refused",
    documentation: "Java policy classes cannot be run, and ignoring a policy would allow what it forbids.",
  },
  {
    name: "client.quota.callback.class",
    type: "class",
    defaultValue: null,
    standing: "refused",
    documentation: "Java quota classes cannot be run.",
  },
  {
    name: "config.providers",
    type: "list",
    defaultValue: "",
    dynamic: "cluster",
    standing: "refused",
    documentation: "Java config providers cannot be run; values that name one would be taken literally.",
  },
  {
    name: "create.topic.policy.class.name",
    type: "class",
    defaultValue: null,
    standing: "refused",
    documentation: "Java policy classes cannot be run, and ignoring a policy would allow what it forbids.",
  },
  {
    name: "principal.builder.class",
    type: "class",
    defaultValue: "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder",
    dynamic: "broker",
    standing: "refused",
    documentation: "Java principal builders cannot be run.",
  },
  {
    name: "remote.log.storage.system.enable",
    type: "boolean",
    defaultValue: "false",
    standing: "refused",
    documentation: "The volume is the storage; there is no second tier.",
  },
  {
    name: "sasl.server.callback.handler.class",
    type: "class",
    defaultValue: null,
    standing: "refused",
    documentation:
      "Java callback handlers cannot be run, and ignoring one would check passwords against something else.",
  },
  {
    name: "ssl.engine.factory.class",
    type: "class",
    defaultValue: null,
    standing: "refused",
    documentation: "Java engine factories cannot be run.",
  },
  {
    name: "transaction.two.phase.commit.enable",
    type: "boolean",
    defaultValue: "false",
    standing: "refused",
    documentation: "Two-phase commit is not served.",
  },
];
