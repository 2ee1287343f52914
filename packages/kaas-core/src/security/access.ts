import type { AclOperation, AclResourceType } from "../ports/acls.js";
import { operationCodes } from "./acl-codes.js";

/** The only resource of type CLUSTER. */
export const CLUSTER_NAME = "kafka-cluster";

/** What can be asked for; ALL is for ACLs alone. */
export type AskedOperation = Exclude<AclOperation, "ALL">;

/**
 * What one client may do. Answers from memory: what was decided once is looked up by the resource's name alone, until
 * ACLs change.
 */
export interface Access {
  may(operation: AskedOperation, type: AclResourceType, name: string): boolean;
  /** As {@link may} of the cluster itself. */
  mayOnCluster(operation: AskedOperation): boolean;
  /** Whether there could be a resource of the type that the client may do this with (KIP-679). */
  mayOnAny(operation: AskedOperation, type: AclResourceType): boolean;
  /** All that the client may do with a resource: bit n stands for the operation with wire number n. */
  operations(type: AclResourceType, name: string): number;
  /** As {@link may}, where the answer no is nothing to be told to the log: lists leave out what one may not see. */
  sees(operation: AskedOperation, type: AclResourceType, name: string): boolean;
}

/** The bit of an operation, as in {@link Access.operations}. */
export function bitOf(operation: AskedOperation): number {
  return 1 << operationCodes[operation];
}

/** All operations. */
export const EVERY_OPERATION: number = Object.entries(operationCodes).reduce(
  (bits, [name, code]) => (name === "ALL" ? bits : bits | (1 << code)),
  0,
);

/** Of super users, and of everybody where there is no authorizer. */
export const fullAccess: Access = {
  may: () => true,
  mayOnCluster: () => true,
  mayOnAny: () => true,
  operations: () => EVERY_OPERATION,
  sees: () => true,
};
