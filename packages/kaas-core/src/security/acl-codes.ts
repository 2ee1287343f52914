import type { AclOperation, AclPatternType, AclPermission, AclResourceType } from "../ports/acls.js";

/** The wire numbers of ACLs: what stands for none that this version knows, and what stands for all in a filter. */
export const AclCode = { UNKNOWN: 0, ANY: 1 } as const;

/** Pattern types that only filters have: whatever holds for a name. */
export const PATTERN_MATCH = 2;

export const resourceTypeCodes: Readonly<Record<AclResourceType, number>> = {
  TOPIC: 2,
  GROUP: 3,
  CLUSTER: 4,
  TRANSACTIONAL_ID: 5,
  DELEGATION_TOKEN: 6,
  USER: 7,
};

export const patternTypeCodes: Readonly<Record<AclPatternType, number>> = { LITERAL: 3, PREFIXED: 4 };

export const operationCodes: Readonly<Record<AclOperation, number>> = {
  ALL: 2,
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
  CREATE_TOKENS: 13,
  DESCRIBE_TOKENS: 14,
  TWO_PHASE_COMMIT: 15,
};

export const permissionCodes: Readonly<Record<AclPermission, number>> = { DENY: 2, ALLOW: 3 };

/** Names by their wire numbers. */
export const resourceTypeNames: ReadonlyMap<number, AclResourceType> = inverse(resourceTypeCodes);
export const patternTypeNames: ReadonlyMap<number, AclPatternType> = inverse(patternTypeCodes);
export const operationNames: ReadonlyMap<number, AclOperation> = inverse(operationCodes);
export const permissionNames: ReadonlyMap<number, AclPermission> = inverse(permissionCodes);

function inverse<Name extends string>(codes: Readonly<Record<Name, number>>): ReadonlyMap<number, Name> {
  return new Map(Object.entries(codes).map(([name, code]) => [code as number, name as Name]));
}
