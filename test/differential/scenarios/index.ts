import type { Scenario } from "../context.js";
import { aclRequests, authorization } from "./authorization.js";
import { quotaRequests } from "./quotas.js";
import { apiVersions, frames } from "./api-versions.js";
import { cluster } from "./cluster.js";
import { brokerConfigRules, topicConfigValues } from "./config-values.js";
import { compaction } from "./compaction.js";
import { alterConfigs, configResources, describeConfigs } from "./configs.js";
import { disturbedRebalances, strictGroups } from "./disturbed-rebalances.js";
import { deleteRecords, fetch, fetchSessions, listOffsets, offsetForLeaderEpoch } from "./fetch.js";
import { groupAdministration } from "./group-administration.js";
import { groupMembership } from "./group-membership.js";
import { autoCreation, describeTopicPartitions, metadata, noAutoCreation } from "./metadata.js";
import { leadership } from "./leadership.js";
import { offsetCommit, offsetDelete, offsetFetch } from "./offsets.js";
import { idempotence, produceBatches, produceConfigs, produceRequests, strictProduce } from "./produce.js";
import { scramCredentials } from "./scram-credentials.js";
import { rebalances } from "./rebalances.js";
import { staticMembers } from "./static-members.js";
import { createPartitions, createTopics, deleteTopics, strictTopics } from "./topics.js";

export const scenarios: readonly Scenario[] = [
  apiVersions,
  frames,
  metadata,
  autoCreation,
  describeTopicPartitions,
  produceRequests,
  produceBatches,
  idempotence,
  produceConfigs,
  fetch,
  fetchSessions,
  listOffsets,
  offsetForLeaderEpoch,
  deleteRecords,
  compaction,
  createTopics,
  deleteTopics,
  createPartitions,
  cluster,
  leadership,
  describeConfigs,
  alterConfigs,
  configResources,
  topicConfigValues,
  brokerConfigRules,
  groupMembership,
  rebalances,
  disturbedRebalances,
  staticMembers,
  groupAdministration,
  offsetCommit,
  offsetFetch,
  offsetDelete,
  quotaRequests,
  scramCredentials,
];

/** Those for brokers with an authorizer that lets everybody in while there are no ACLs. */
export const aclScenarios: readonly Scenario[] = [authorization, aclRequests];

export const strictScenarios: readonly Scenario[] = [noAutoCreation, strictProduce, strictTopics, strictGroups];
