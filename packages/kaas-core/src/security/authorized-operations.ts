/**
 * The bit fields in which Metadata, DescribeCluster and DescribeGroups tell a client what it may do (KIP-430): bit n
 * stands for the ACL operation with code n. Without an authorizer everybody may do everything that the resource knows.
 */

const Operation = {
  READ: 3,
  WRITE: 4,
  CREATE: 5,
  DELETE: 6,
  ALTER: 7,
  DESCRIBE: 8,
  CLUSTER_ACTION: 9,
  DESCRIBE_CONFIGS: 10,
  ALTER_CONFIGS: 11,
  IDEMPOTENT_WRITE: 12,
} as const;

type OperationName = keyof typeof Operation;

function bits(...names: OperationName[]): number {
  return names.reduce((field, name) => field | (1 << Operation[name]), 0);
}

/** What stands in a response when the client did not ask. */
export const OPERATIONS_NOT_ASKED: number = -0x8000_0000;

export const TOPIC_OPERATIONS: number = bits(
  "READ",
  "WRITE",
  "CREATE",
  "DELETE",
  "ALTER",
  "DESCRIBE",
  "DESCRIBE_CONFIGS",
  "ALTER_CONFIGS",
);

export const CLUSTER_OPERATIONS: number = bits(
  "CREATE",
  "ALTER",
  "DESCRIBE",
  "CLUSTER_ACTION",
  "DESCRIBE_CONFIGS",
  "ALTER_CONFIGS",
  "IDEMPOTENT_WRITE",
);

export const GROUP_OPERATIONS: number = bits("READ", "DELETE", "DESCRIBE", "DESCRIBE_CONFIGS", "ALTER_CONFIGS");
