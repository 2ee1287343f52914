/**
 * The bit fields in which Metadata, DescribeCluster and DescribeGroups tell a client what it may do (KIP-430): bit n
 * stands for the ACL operation with wire number n.
 */
import type { AclResourceType } from "../ports/acls.js";
import { type Access, type AskedOperation, bitOf } from "./access.js";

/** What stands in a response when the client did not ask. */
export const OPERATIONS_NOT_ASKED: number = -0x8000_0000;

/** What can be done with a resource at all, and is told of. */
const OPERATIONS: Readonly<Partial<Record<AclResourceType, number>>> = {
  TOPIC: bits("READ", "WRITE", "CREATE", "DELETE", "ALTER", "DESCRIBE", "DESCRIBE_CONFIGS", "ALTER_CONFIGS"),
  CLUSTER: bits(
    "CREATE",
    "ALTER",
    "DESCRIBE",
    "CLUSTER_ACTION",
    "DESCRIBE_CONFIGS",
    "ALTER_CONFIGS",
    "IDEMPOTENT_WRITE",
  ),
  GROUP: bits("READ", "DELETE", "DESCRIBE", "DESCRIBE_CONFIGS", "ALTER_CONFIGS"),
};

/** What a client may do with a resource, of all that can be done with it. */
export function authorizedOperations(access: Access, type: AclResourceType, name: string): number {
  return access.operations(type, name) & (OPERATIONS[type] ?? 0);
}

function bits(...operations: readonly AskedOperation[]): number {
  return operations.reduce((field, operation) => field | bitOf(operation), 0);
}
