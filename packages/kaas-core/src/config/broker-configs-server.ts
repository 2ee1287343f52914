import type { BrokerConfigDefinition } from "./broker-config-definition.js";
import { atLeast, type ConfigRule } from "./config-definition.js";

const intMax = "2147483647";

const connectionOverrides: ConfigRule = {
  text: "`host:limit,…`",
  problem: (value) =>
    (value as string).split(",").every((item) => /^\s*(\S+:\d{1,9})?\s*$/.test(item))
      ? undefined
      : "must be a list of host:limit",
};

/** Broker configurations of identity, connections, requests and groups. */
export const serverBrokerConfigs: readonly BrokerConfigDefinition[] = [
  {
    name: "advertised.listeners",
    type: "list",
    defaultValue: null,
    standing: "honoured",
    documentation: "The addresses that clients are told, by listener name; without it those of `listeners`.",
  },
  {
    name: "broker.id",
    type: "int",
    defaultValue: "-1",
    standing: "honoured",
    documentation: "The older name of node.id.",
  },
  {
    name: "broker.rack",
    type: "string",
    defaultValue: null,
    standing: "honoured",
    documentation: "The rack that Metadata and DescribeCluster report for this broker.",
  },
  {
    name: "connections.max.idle.ms",
    type: "long",
    defaultValue: "600000",
    standing: "honoured",
    documentation: "A connection without a request for this long is closed; negative: never.",
  },
  {
    name: "controller.listener.names",
    type: "list",
    defaultValue: "",
    standing: "honoured",
    documentation: "Listeners of these names are not opened: there is no KRaft quorum that would use them.",
  },
  {
    name: "fetch.max.bytes",
    type: "int",
    defaultValue: "57671680",
    rule: atLeast(1024),
    standing: "honoured",
    documentation: "The most bytes of records in one Fetch answer, whatever the client asks for.",
  },
  {
    name: "group.initial.rebalance.delay.ms",
    type: "int",
    defaultValue: "3000",
    standing: "honoured",
    documentation: "How long the first rebalance of an empty group waits for more members.",
  },
  {
    name: "group.max.session.timeout.ms",
    type: "int",
    defaultValue: "1800000",
    standing: "honoured",
    documentation: "The longest session timeout that a group member may ask for.",
  },
  {
    name: "group.max.size",
    type: "int",
    defaultValue: intMax,
    rule: atLeast(1),
    standing: "honoured",
    documentation: "The most members of one group.",
  },
  {
    name: "group.min.session.timeout.ms",
    type: "int",
    defaultValue: "6000",
    standing: "honoured",
    documentation: "The shortest session timeout that a group member may ask for.",
  },
  {
    name: "listener.security.protocol.map",
    type: "string",
    defaultValue: "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT",
    standing: "honoured",
    documentation: "The protocol of each listener name.",
  },
  {
    name: "listeners",
    type: "list",
    defaultValue: "PLAINTEXT://127.0.0.1:9092",
    standing: "honoured",
    documentation:
      "Where the broker listens, as NAME://HOST:PORT. Kafka's default is every interface; as it neither encrypts nor asks who comes, this one is the machine itself.",
  },
  {
    name: "max.connections",
    type: "int",
    defaultValue: intMax,
    rule: atLeast(0),
    dynamic: "cluster",
    standing: "honoured",
    documentation: "The most connections at one time.",
  },
  {
    name: "max.connections.per.ip",
    type: "int",
    defaultValue: intMax,
    rule: atLeast(0),
    dynamic: "cluster",
    standing: "honoured",
    documentation: "The most connections at one time from one address.",
  },
  {
    name: "max.connections.per.ip.overrides",
    type: "string",
    defaultValue: "",
    rule: connectionOverrides,
    standing: "honoured",
    documentation: "Other limits for some addresses, as `address:limit,…`.",
  },
  {
    name: "max.incremental.fetch.session.cache.slots",
    type: "int",
    defaultValue: "1000",
    rule: atLeast(0),
    standing: "honoured",
    documentation: "The most fetch sessions at one time.",
  },
  {
    name: "max.request.partition.size.limit",
    type: "int",
    defaultValue: "2000",
    rule: atLeast(1),
    standing: "honoured",
    documentation: "The most partitions in one DescribeTopicPartitions answer.",
  },
  {
    name: "node.id",
    type: "int",
    defaultValue: "1",
    rule: atLeast(0),
    standing: "honoured",
    documentation: "The broker's id. Kafka has no default.",
  },
  {
    name: "offset.metadata.max.bytes",
    type: "int",
    defaultValue: "4096",
    standing: "honoured",
    documentation: "The longest metadata text of a committed offset.",
  },
  {
    name: "offsets.retention.check.interval.ms",
    type: "long",
    defaultValue: "600000",
    rule: atLeast(1),
    standing: "honoured",
    documentation: "How often expired offsets are looked for.",
  },
  {
    name: "offsets.retention.minutes",
    type: "int",
    defaultValue: "10080",
    rule: atLeast(1),
    standing: "honoured",
    documentation: "How long the offsets of an empty group are kept.",
  },
  {
    name: "offsets.topic.num.partitions",
    type: "int",
    defaultValue: "50",
    rule: atLeast(1),
    standing: "honoured",
    documentation: "Slots for groups and their offsets in a data directory that is new; an older one keeps its number.",
  },
  {
    name: "queued.max.request.bytes",
    type: "long",
    defaultValue: "-1",
    standing: "honoured",
    documentation:
      "The most bytes of requests in the works at one time; reading pauses above it. -1: a built-in bound.",
  },
  {
    name: "socket.listen.backlog.size",
    type: "int",
    defaultValue: "50",
    rule: atLeast(1),
    standing: "honoured",
    documentation: "Connections that wait for being accepted.",
  },
  {
    name: "socket.request.max.bytes",
    type: "int",
    defaultValue: "104857600",
    rule: atLeast(1),
    standing: "honoured",
    documentation: "The largest request.",
  },
];
