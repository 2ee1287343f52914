import { produceApi } from "./00-produce.js";
import { fetchApi } from "./01-fetch.js";
import { listOffsetsApi } from "./02-list-offsets.js";
import { metadataApi } from "./03-metadata.js";
import { offsetCommitApi } from "./08-offset-commit.js";
import { offsetFetchApi } from "./09-offset-fetch.js";
import { findCoordinatorApi } from "./10-find-coordinator.js";
import { joinGroupApi } from "./11-join-group.js";
import { heartbeatApi } from "./12-heartbeat.js";
import { leaveGroupApi } from "./13-leave-group.js";
import { syncGroupApi } from "./14-sync-group.js";
import { describeGroupsApi } from "./15-describe-groups.js";
import { listGroupsApi } from "./16-list-groups.js";
import { saslHandshakeApi } from "./17-sasl-handshake.js";
import { apiVersionsApi } from "./18-api-versions.js";
import { createTopicsApi } from "./19-create-topics.js";
import { deleteTopicsApi } from "./20-delete-topics.js";
import { deleteRecordsApi } from "./21-delete-records.js";
import { initProducerIdApi } from "./22-init-producer-id.js";
import { offsetForLeaderEpochApi } from "./23-offset-for-leader-epoch.js";
import { addPartitionsToTxnApi } from "./24-add-partitions-to-txn.js";
import { addOffsetsToTxnApi } from "./25-add-offsets-to-txn.js";
import { endTxnApi } from "./26-end-txn.js";
import { writeTxnMarkersApi } from "./27-write-txn-markers.js";
import { txnOffsetCommitApi } from "./28-txn-offset-commit.js";
import { describeAclsApi } from "./29-describe-acls.js";
import { createAclsApi } from "./30-create-acls.js";
import { deleteAclsApi } from "./31-delete-acls.js";
import { describeConfigsApi } from "./32-describe-configs.js";
import { alterConfigsApi } from "./33-alter-configs.js";
import { alterReplicaLogDirsApi } from "./34-alter-replica-log-dirs.js";
import { describeLogDirsApi } from "./35-describe-log-dirs.js";
import { saslAuthenticateApi } from "./36-sasl-authenticate.js";
import { createPartitionsApi } from "./37-create-partitions.js";
import { createDelegationTokenApi } from "./38-create-delegation-token.js";
import { renewDelegationTokenApi } from "./39-renew-delegation-token.js";
import { expireDelegationTokenApi } from "./40-expire-delegation-token.js";
import { describeDelegationTokenApi } from "./41-describe-delegation-token.js";
import { deleteGroupsApi } from "./42-delete-groups.js";
import { electLeadersApi } from "./43-elect-leaders.js";
import { incrementalAlterConfigsApi } from "./44-incremental-alter-configs.js";
import { alterPartitionReassignmentsApi } from "./45-alter-partition-reassignments.js";
import { listPartitionReassignmentsApi } from "./46-list-partition-reassignments.js";
import { offsetDeleteApi } from "./47-offset-delete.js";
import { describeClientQuotasApi } from "./48-describe-client-quotas.js";
import { alterClientQuotasApi } from "./49-alter-client-quotas.js";
import { describeUserScramCredentialsApi } from "./50-describe-user-scram-credentials.js";
import { alterUserScramCredentialsApi } from "./51-alter-user-scram-credentials.js";
import { describeQuorumApi } from "./55-describe-quorum.js";
import { updateFeaturesApi } from "./57-update-features.js";
import { describeClusterApi } from "./60-describe-cluster.js";
import { describeProducersApi } from "./61-describe-producers.js";
import { unregisterBrokerApi } from "./64-unregister-broker.js";
import { describeTransactionsApi } from "./65-describe-transactions.js";
import { listTransactionsApi } from "./66-list-transactions.js";
import { consumerGroupHeartbeatApi } from "./68-consumer-group-heartbeat.js";
import { consumerGroupDescribeApi } from "./69-consumer-group-describe.js";
import { getTelemetrySubscriptionsApi } from "./71-get-telemetry-subscriptions.js";
import { pushTelemetryApi } from "./72-push-telemetry.js";
import { listConfigResourcesApi } from "./74-list-config-resources.js";
import { describeTopicPartitionsApi } from "./75-describe-topic-partitions.js";
import { shareGroupHeartbeatApi } from "./76-share-group-heartbeat.js";
import { shareGroupDescribeApi } from "./77-share-group-describe.js";
import { shareFetchApi } from "./78-share-fetch.js";
import { shareAcknowledgeApi } from "./79-share-acknowledge.js";
import { streamsGroupHeartbeatApi } from "./88-streams-group-heartbeat.js";
import { streamsGroupDescribeApi } from "./89-streams-group-describe.js";
import { describeShareGroupOffsetsApi } from "./90-describe-share-group-offsets.js";
import { alterShareGroupOffsetsApi } from "./91-alter-share-group-offsets.js";
import { deleteShareGroupOffsetsApi } from "./92-delete-share-group-offsets.js";
import { streamsGroupTopologyDescriptionUpdateApi } from "./93-streams-group-topology-description-update.js";
import type { ApiSchema } from "./schema.js";

/** The schemas of every API that Apache Kafka 4.4 offers clients, in the order of their keys. */
export const apiSchemas: readonly ApiSchema[] = [
  produceApi,
  fetchApi,
  listOffsetsApi,
  metadataApi,
  offsetCommitApi,
  offsetFetchApi,
  findCoordinatorApi,
  joinGroupApi,
  heartbeatApi,
  leaveGroupApi,
  syncGroupApi,
  describeGroupsApi,
  listGroupsApi,
  saslHandshakeApi,
  apiVersionsApi,
  createTopicsApi,
  deleteTopicsApi,
  deleteRecordsApi,
  initProducerIdApi,
  offsetForLeaderEpochApi,
  addPartitionsToTxnApi,
  addOffsetsToTxnApi,
  endTxnApi,
  writeTxnMarkersApi,
  txnOffsetCommitApi,
  describeAclsApi,
  createAclsApi,
  deleteAclsApi,
  describeConfigsApi,
  alterConfigsApi,
  alterReplicaLogDirsApi,
  describeLogDirsApi,
  saslAuthenticateApi,
  createPartitionsApi,
  createDelegationTokenApi,
  renewDelegationTokenApi,
  expireDelegationTokenApi,
  describeDelegationTokenApi,
  deleteGroupsApi,
  electLeadersApi,
  incrementalAlterConfigsApi,
  alterPartitionReassignmentsApi,
  listPartitionReassignmentsApi,
  offsetDeleteApi,
  describeClientQuotasApi,
  alterClientQuotasApi,
  describeUserScramCredentialsApi,
  alterUserScramCredentialsApi,
  describeQuorumApi,
  updateFeaturesApi,
  describeClusterApi,
  describeProducersApi,
  unregisterBrokerApi,
  describeTransactionsApi,
  listTransactionsApi,
  consumerGroupHeartbeatApi,
  consumerGroupDescribeApi,
  getTelemetrySubscriptionsApi,
  pushTelemetryApi,
  listConfigResourcesApi,
  describeTopicPartitionsApi,
  shareGroupHeartbeatApi,
  shareGroupDescribeApi,
  shareFetchApi,
  shareAcknowledgeApi,
  streamsGroupHeartbeatApi,
  streamsGroupDescribeApi,
  describeShareGroupOffsetsApi,
  alterShareGroupOffsetsApi,
  deleteShareGroupOffsetsApi,
  streamsGroupTopologyDescriptionUpdateApi,
];
