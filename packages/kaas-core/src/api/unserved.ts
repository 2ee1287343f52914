/** An API of Apache Kafka 4.4 that is not served, and why. */
export interface UnservedApi {
  readonly key: number;
  readonly name: string;
  readonly reason: string;
}

const TRANSACTIONS = "transactions are not served yet";
const SECURITY = "delegation tokens are not served yet";
const SHARE_GROUPS = "share groups are not served yet";
const STREAMS_GROUPS = "streams groups are not served yet";
const CONSUMER_GROUPS = "the consumer group protocol of KIP-848 is not served yet; classic groups are";
const CLUSTER = "brokers come and go by Kubernetes, and are not registered";
const INTER_BROKER = "between Kafka brokers only: kaas brokers share a volume instead";
const KRAFT = "KRaft only: there is no metadata quorum";

/** What is not served. Together with the registry this is the whole list of Kafka's API keys; a test holds it so. */
export const unservedApis: readonly UnservedApi[] = [
  { key: 4, name: "LeaderAndIsr", reason: INTER_BROKER },
  { key: 5, name: "StopReplica", reason: INTER_BROKER },
  { key: 6, name: "UpdateMetadata", reason: INTER_BROKER },
  { key: 7, name: "ControlledShutdown", reason: INTER_BROKER },
  { key: 24, name: "AddPartitionsToTxn", reason: TRANSACTIONS },
  { key: 25, name: "AddOffsetsToTxn", reason: TRANSACTIONS },
  { key: 26, name: "EndTxn", reason: TRANSACTIONS },
  { key: 27, name: "WriteTxnMarkers", reason: TRANSACTIONS },
  { key: 28, name: "TxnOffsetCommit", reason: TRANSACTIONS },
  { key: 34, name: "AlterReplicaLogDirs", reason: "a partition stays in the log directory that it was created in" },
  { key: 38, name: "CreateDelegationToken", reason: SECURITY },
  { key: 39, name: "RenewDelegationToken", reason: SECURITY },
  { key: 40, name: "ExpireDelegationToken", reason: SECURITY },
  { key: 41, name: "DescribeDelegationToken", reason: SECURITY },
  { key: 52, name: "Vote", reason: KRAFT },
  { key: 53, name: "BeginQuorumEpoch", reason: KRAFT },
  { key: 54, name: "EndQuorumEpoch", reason: KRAFT },
  { key: 55, name: "DescribeQuorum", reason: KRAFT },
  { key: 56, name: "AlterPartition", reason: KRAFT },
  { key: 57, name: "UpdateFeatures", reason: "there are no features to finalize yet" },
  { key: 58, name: "Envelope", reason: INTER_BROKER },
  { key: 59, name: "FetchSnapshot", reason: KRAFT },
  { key: 61, name: "DescribeProducers", reason: TRANSACTIONS },
  { key: 62, name: "BrokerRegistration", reason: KRAFT },
  { key: 63, name: "BrokerHeartbeat", reason: KRAFT },
  { key: 64, name: "UnregisterBroker", reason: CLUSTER },
  { key: 65, name: "DescribeTransactions", reason: TRANSACTIONS },
  { key: 66, name: "ListTransactions", reason: TRANSACTIONS },
  { key: 67, name: "AllocateProducerIds", reason: INTER_BROKER },
  { key: 68, name: "ConsumerGroupHeartbeat", reason: CONSUMER_GROUPS },
  { key: 69, name: "ConsumerGroupDescribe", reason: CONSUMER_GROUPS },
  { key: 70, name: "ControllerRegistration", reason: KRAFT },
  { key: 71, name: "GetTelemetrySubscriptions", reason: "client telemetry is not received yet" },
  { key: 72, name: "PushTelemetry", reason: "client telemetry is not received yet" },
  { key: 73, name: "AssignReplicasToDirs", reason: KRAFT },
  { key: 76, name: "ShareGroupHeartbeat", reason: SHARE_GROUPS },
  { key: 77, name: "ShareGroupDescribe", reason: SHARE_GROUPS },
  { key: 78, name: "ShareFetch", reason: SHARE_GROUPS },
  { key: 79, name: "ShareAcknowledge", reason: SHARE_GROUPS },
  { key: 80, name: "AddRaftVoter", reason: KRAFT },
  { key: 81, name: "RemoveRaftVoter", reason: KRAFT },
  { key: 82, name: "UpdateRaftVoter", reason: KRAFT },
  { key: 83, name: "InitializeShareGroupState", reason: INTER_BROKER },
  { key: 84, name: "ReadShareGroupState", reason: INTER_BROKER },
  { key: 85, name: "WriteShareGroupState", reason: INTER_BROKER },
  { key: 86, name: "DeleteShareGroupState", reason: INTER_BROKER },
  { key: 87, name: "ReadShareGroupStateSummary", reason: INTER_BROKER },
  { key: 88, name: "StreamsGroupHeartbeat", reason: STREAMS_GROUPS },
  { key: 89, name: "StreamsGroupDescribe", reason: STREAMS_GROUPS },
  { key: 90, name: "DescribeShareGroupOffsets", reason: SHARE_GROUPS },
  { key: 91, name: "AlterShareGroupOffsets", reason: SHARE_GROUPS },
  { key: 92, name: "DeleteShareGroupOffsets", reason: SHARE_GROUPS },
  { key: 93, name: "StreamsGroupTopologyDescriptionUpdate", reason: STREAMS_GROUPS },
  { key: 94, name: "UnregisterController", reason: KRAFT },
];
