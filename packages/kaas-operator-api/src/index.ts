/** The custom resources of kaas: types, schemas and validation. */
export { API_GROUP, API_GROUP_VERSION, API_VERSION } from "./api-group.js";
export { type Condition, conditionSchema } from "./conditions.js";
export {
  type KafkaCluster,
  type KafkaClusterInput,
  type KafkaClusterListener,
  type KafkaClusterSpec,
  type KafkaClusterStatus,
  kafkaClusterSchema,
  LISTENER_TYPES,
} from "./kafka-cluster.js";
export {
  type KafkaClusterAssignments,
  type KafkaClusterAssignmentsStatus,
  kafkaClusterAssignmentsSchema,
} from "./kafka-cluster-assignments.js";
export {
  type KafkaTopic,
  type KafkaTopicInput,
  type KafkaTopicSpec,
  type KafkaTopicStatus,
  kafkaTopicSchema,
  MIGRATE_TO_ANNOTATION,
  PARTITIONS_MAX,
  topicNameOf,
} from "./kafka-topic.js";
export {
  ACL_OPERATIONS,
  ACL_RESOURCE_TYPES,
  AUTHENTICATION_TYPES,
  type KafkaUser,
  type KafkaUserAcl,
  type KafkaUserAuthentication,
  type KafkaUserInput,
  type KafkaUserQuotas,
  type KafkaUserScramCredential,
  type KafkaUserSpec,
  type KafkaUserStatus,
  kafkaUserSchema,
  usernameOf,
} from "./kafka-user.js";
export { type ObjectMeta, objectMetaSchema } from "./metadata.js";
export { type CustomResourceDefinition, customResourceDefinitions } from "./crd/custom-resource-definition.js";
export { RESOURCE_KINDS, type ResourceKind } from "./resources.js";
export {
  formatProblems,
  type KaasResource,
  type ResourceProblem,
  type ValidationResult,
  validateResource,
} from "./validate.js";
