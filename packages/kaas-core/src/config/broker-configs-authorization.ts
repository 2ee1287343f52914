import type { BrokerConfigDefinition } from "./broker-config-definition.js";
import { atLeast, type ConfigRule } from "./config-definition.js";

/** Kafka's authorizers, whose rules are kaas's own: the one of KRaft, and its older name. */
const AUTHORIZERS: readonly string[] = [
  "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
  "kafka.security.authorizer.AclAuthorizer",
];

const authorizerClass: ConfigRule = {
  text: `empty, ${AUTHORIZERS.map((name) => `\`${name}\``).join(" or ")}`,
  problem: (value) =>
    value === "" || AUTHORIZERS.includes(value as string)
      ? undefined
      : `Java authorizers cannot be run; what kaas does is called ${AUTHORIZERS[0]}`,
};

/** Broker configurations that say who may do what, and over how long what he uses is counted. */
export const authorizationBrokerConfigs: readonly BrokerConfigDefinition[] = [
  {
    name: "allow.everyone.if.no.acl.found",
    type: "boolean",
    defaultValue: "false",
    internal: true,
    standing: "honoured",
    documentation: "Whether a resource that no ACL is about is open to everybody, once there is an authorizer.",
  },
  {
    name: "authorizer.class.name",
    type: "string",
    defaultValue: "",
    rule: authorizerClass,
    standing: "honoured",
    documentation: "Turns ACLs on; empty: everybody may do everything.",
  },
  {
    name: "controller.quota.window.num",
    type: "int",
    defaultValue: "11",
    rule: atLeast(1),
    standing: "honoured",
    documentation: "How many windows of partitions that may be created or deleted can be saved up.",
  },
  {
    name: "controller.quota.window.size.seconds",
    type: "int",
    defaultValue: "1",
    rule: atLeast(1),
    standing: "honoured",
    documentation: "How long such a window is.",
  },
  {
    name: "quota.window.num",
    type: "int",
    defaultValue: "11",
    rule: atLeast(1),
    standing: "honoured",
    documentation: "Over how many windows the rates of quotas are measured.",
  },
  {
    name: "quota.window.size.seconds",
    type: "int",
    defaultValue: "1",
    rule: atLeast(1),
    standing: "honoured",
    documentation: "How long such a window is.",
  },
  {
    name: "super.users",
    type: "string",
    defaultValue: "",
    internal: true,
    standing: "honoured",
    documentation: "Principals that may do everything, such as `User:admin`; several are separated by `;`.",
  },
];
