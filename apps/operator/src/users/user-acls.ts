import type { AclBinding, AclOperation, AclResourceType } from "@kaas/core";
import { type KafkaUser, type KafkaUserAcl, usernameOf } from "@kaas/operator-api";

const OPERATIONS: Readonly<Record<KafkaUserAcl["operations"][number], AclOperation>> = {
  All: "ALL",
  Read: "READ",
  Write: "WRITE",
  Create: "CREATE",
  Delete: "DELETE",
  Alter: "ALTER",
  Describe: "DESCRIBE",
  ClusterAction: "CLUSTER_ACTION",
  AlterConfigs: "ALTER_CONFIGS",
  DescribeConfigs: "DESCRIBE_CONFIGS",
  IdempotentWrite: "IDEMPOTENT_WRITE",
};

const RESOURCE_TYPES: Readonly<Record<KafkaUserAcl["resource"]["type"], AclResourceType>> = {
  topic: "TOPIC",
  group: "GROUP",
  cluster: "CLUSTER",
  transactionalId: "TRANSACTIONAL_ID",
  user: "USER",
  delegationToken: "DELEGATION_TOKEN",
};

/** The only name that Kafka's resource type CLUSTER has. */
const CLUSTER_NAME = "kafka-cluster";

/**
 * The ACLs of all users that there are. Also of those who cannot log in as their KafkaUser says: what it denies holds for
 * whoever comes under the name. And of those that are being deleted, which are left as they are until they are gone.
 */
export function aclsOf(users: readonly KafkaUser[]): readonly AclBinding[] {
  return users.flatMap((user) => (user.spec.authorization?.acls ?? []).flatMap((acl) => bindingsOf(user, acl)));
}

function bindingsOf(user: KafkaUser, { type, resource, host, operations }: KafkaUserAcl): AclBinding[] {
  return operations.map((operation) => ({
    resourceType: RESOURCE_TYPES[resource.type],
    patternType: resource.patternType === "prefix" ? "PREFIXED" : "LITERAL",
    resourceName: resource.name ?? CLUSTER_NAME,
    principal: `User:${usernameOf(user)}`,
    host,
    operation: OPERATIONS[operation],
    permission: type === "deny" ? "DENY" : "ALLOW",
  }));
}
