/**
 * Broker configurations of Apache Kafka 3.7 that 4.x no longer has, and what to know. They are taken with a warning,
 * so that an old server.properties still serves.
 */
export const removedBrokerConfigs: ReadonlyMap<string, string> = new Map([
  ["auto.include.jmx.reporter", "there is no JMX"],
  ["broker.id.generation.enable", "node.id is given"],
  ["control.plane.listener.name", "there is no control plane listener"],
  ["controlled.shutdown.max.retries", "partitions are handed over at shutdown"],
  ["controlled.shutdown.retry.backoff.ms", "partitions are handed over at shutdown"],
  ["delegation.token.master.key", "delegation tokens are not served yet"],
  ["eligible.leader.replicas.enable", "there are no replicas"],
  ["group.coordinator.new.enable", "there is one group coordinator"],
  ["inter.broker.protocol.version", "there is no inter-broker protocol"],
  ["leader.imbalance.per.broker.percentage", "there are no replicas"],
  ["log.message.downconversion.enable", "records are never down-converted"],
  ["log.message.format.version", "the format is always version 2"],
  [
    "log.message.timestamp.difference.max.ms",
    "use log.message.timestamp.before.max.ms and log.message.timestamp.after.max.ms",
  ],
  ["metadata.log.segment.min.bytes", "there is no KRaft quorum"],
  ["offsets.commit.required.acks", "offset commits are always durable"],
  ["reserved.broker.max.id", "node.id is given"],
  ["unstable.metadata.versions.enable", "there is no KRaft quorum"],
]);

/** Families of configurations that are taken with a warning: by their beginning. */
export const removedBrokerConfigPrefixes: ReadonlyMap<string, string> = new Map([
  ["zookeeper.", "there is no ZooKeeper"],
  ["password.encoder.", "there is no ZooKeeper"],
  ["rlmm.config.", "there is no second storage tier"],
  ["rsm.config.", "there is no second storage tier"],
]);
