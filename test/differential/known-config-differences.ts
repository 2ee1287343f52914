// The configs that kaas describes or takes otherwise than Apache Kafka, and means to.
import type { KnownDifference } from "./known-difference.js";

const KRAFT = "there is no KRaft quorum, and its listener is Kafka's alone";
const DURABLE = "what is acknowledged is on the disk: flush.messages is 1";
const ELIGIBLE_REPLICAS = "KRaft itself sets min.insync.replicas for the cluster (KIP-966); there is one copy here";

/** Of the broker, by name. */
const broker: readonly (readonly [name: string, reason: string])[] = [
  ["advertised.listeners", "not set: what is advertised follows from listeners"],
  ["controller.listener.names", KRAFT],
  ["controller.quorum.voters", KRAFT],
  ["inter.broker.listener.name", KRAFT],
  ["listener.security.protocol.map", KRAFT],
  ["listeners", KRAFT],
  ["process.roles", KRAFT],
  ["log.dir", "a folder of kaas's own name"],
  ["log.dirs", "the folder of this run; log.dir is its synonym"],
  ["log.flush.interval.messages", DURABLE],
  ["node.id", "has a default here"],
];

/** What Kafka's brokers can change at run time and kaas cannot. */
const readOnly: readonly (readonly [name: string, reason: string])[] = [
  ["errors.deadletterqueue.*", "share groups are not served yet"],
  ["share.coordinator.*", "share groups are not served yet"],
  ["group.share.assignment.interval.ms", "share groups are not served yet"],
  ["group.streams.assignment.interval.ms", "streams groups are not served yet"],
  ["group.consumer.assignment.interval.ms", "the consumer group protocol of KIP-848 is not served yet"],
  ["listeners", "listeners are opened at the start"],
  ["listener.security.protocol.map", "listeners are opened at the start"],
  ["max.connections.per.ip.overrides", "is read at the start"],
  ["producer.id.expiration.ms", "is read at the start"],
  ["transaction.partition.verification.enable", "transactions are not served yet"],
  ["sasl.*", "security is not served yet"],
  ["ssl.*", "security is not served yet"],
];

/** Dynamic configs of a broker that kaas refuses and Kafka takes. */
const refused: readonly (readonly [name: string, reason: string])[] = [
  ["sasl.*", "security is not served yet"],
  ["ssl.*", "security is not served yet"],
  ["config.providers", "there are no config providers"],
  ["errors.deadletterqueue.*", "share groups are not served yet"],
  ["group.share.assignment.interval.ms", "share groups are not served yet"],
  ["group.streams.assignment.interval.ms", "streams groups are not served yet"],
  ["group.consumer.assignment.interval.ms", "the consumer group protocol of KIP-848 is not served yet"],
  ["producer.id.expiration.ms", "is read at the start"],
  ["max.connections.per.ip.overrides", "is read at the start"],
  ["log.retention.ms", "a retention below -1 means nothing"],
];

/** Dynamic configs of a broker that kaas takes, since they do nothing here, and Kafka looks at more closely. */
const taken: readonly (readonly [name: string, reason: string])[] = [
  ["*threads", "Kafka halves or doubles its thread pools at most; there are none"],
  ["*thread.pool.size", "Kafka halves or doubles its thread pools at most; there are none"],
  ["metric.reporters", "Kafka loads the class; there are none"],
  ["cordoned.log.dirs", "Kafka looks for the folder; there is one log directory"],
  ["log.cleaner.dedupe.buffer.size", "Kafka wants a least share for each of its cleaner threads; kaas takes any size"],
];

const GROUP_CONFIGS = "configs of groups belong to the protocols of KIP-848, 932 and 1071, which are not served yet";

export const knownConfigDifferences: readonly KnownDifference[] = [
  ...broker.map(([name, reason]) => ({
    where: "describe configs: broker",
    path: `.results[1].configs[${name}]*`,
    reason,
  })),
  ...readOnly.map(([name, reason]) => ({
    where: "describe configs: broker",
    path: `.results[1].configs[${name}].readOnly`,
    kafka: "false",
    kaas: "true",
    reason,
  })),
  ...refused.map(([name, reason]) => ({
    where: `broker config rules: ${name} of *`,
    path: "*.errorCode",
    kafka: '"NONE"',
    kaas: '"INVALID_REQUEST"',
    reason,
  })),
  ...taken.map(([name, reason]) => ({
    where: `broker config rules: ${name} of *`,
    path: "*.errorCode",
    kafka: '"INVALID_REQUEST"',
    kaas: '"NONE"',
    reason,
  })),
  {
    where: "broker config rules: min.insync.replicas of a broker",
    path: "*.errorCode",
    kafka: '"INVALID_CONFIG"',
    kaas: '"NONE"',
    reason: ELIGIBLE_REPLICAS,
  },
  {
    where: "topic config values: errors.deadletterqueue.group.enable",
    path: "*.errorCode",
    kafka: '"NONE"',
    kaas: '"INVALID_CONFIG"',
    reason: "share groups are not served yet",
  },
  {
    where: "topic config values: flush.messages",
    path: ".'0'.errorCode",
    kafka: '"INVALID_CONFIG"',
    kaas: '"NONE"',
    reason: "0 has a meaning of its own: an fsync only when a segment is closed",
  },
  {
    where: "topic config values: min.cleanable.dirty.ratio",
    path: ".'NaN'.errorCode",
    kafka: '"NONE"',
    kaas: '"INVALID_CONFIG"',
    reason: "no number is no ratio",
  },
  { where: "*", path: "*configs[flush.messages]*", kafka: '"9223372036854775807"', kaas: '"1"', reason: DURABLE },
  { where: "*", path: "*configs[min.insync.replicas]*", reason: ELIGIBLE_REPLICAS },
  { where: "*: group", path: "*.configs[*", kaas: "(absent)", reason: GROUP_CONFIGS },
  { where: "alter configs: *: group", path: "*.errorCode", kaas: '"INVALID_CONFIG"', reason: GROUP_CONFIGS },
  {
    where: "alter configs: incremental: unknown operation*",
    path: "*.errorCode",
    kafka: '"UNKNOWN_SERVER_ERROR"',
    kaas: '"INVALID_REQUEST"',
    reason: "Kafka's answer comes of an exception that nothing expected; kaas says what is wrong",
  },
  {
    where: "alter configs: *: broker: unknown",
    path: "*.errorCode",
    kafka: '"NONE"',
    kaas: '"INVALID_REQUEST"',
    reason: "Kafka keeps unknown names for its plugins; here there are none, and a misspelt name is refused",
  },
  { where: "alter configs: whole: cluster: dynamic", path: "*", kaas: '"NONE"', reason: ELIGIBLE_REPLICAS },
  { where: "alter configs: whole: cluster: dynamic", path: "*.errorMessage", kaas: "null", reason: ELIGIBLE_REPLICAS },
];
