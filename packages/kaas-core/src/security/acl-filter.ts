import type { AclBinding } from "../ports/acls.js";
import {
  AclCode,
  operationCodes,
  operationNames,
  PATTERN_MATCH,
  patternTypeCodes,
  patternTypeNames,
  permissionCodes,
  permissionNames,
  resourceTypeCodes,
  resourceTypeNames,
} from "./acl-codes.js";
import { WILDCARD } from "./acl-index.js";

/** Which ACLs are meant, by wire numbers; null stands for anything. */
export interface AclFilter {
  readonly resourceTypeFilter: number;
  readonly resourceNameFilter: string | null;
  readonly patternTypeFilter: number;
  readonly principalFilter: string | null;
  readonly hostFilter: string | null;
  readonly operation: number;
  readonly permissionType: number;
}

/** What is wrong with a filter: a number that stands for nothing that is known. */
export function filterProblem(filter: AclFilter): string | undefined {
  const isKnown = (code: number, names: ReadonlyMap<number, string>): boolean =>
    code === AclCode.ANY || names.has(code);
  if (!isKnown(filter.resourceTypeFilter, resourceTypeNames)) return "the filter's resource type is not known";
  if (filter.patternTypeFilter !== PATTERN_MATCH && !isKnown(filter.patternTypeFilter, patternTypeNames)) {
    return "the filter's pattern type is not known";
  }
  if (!isKnown(filter.operation, operationNames)) return "the filter's operation is not known";
  if (!isKnown(filter.permissionType, permissionNames)) return "the filter's permission type is not known";
  return undefined;
}

/** Whether an ACL is one of those that a filter means. */
export function matchesFilter(filter: AclFilter, acl: AclBinding): boolean {
  return (
    isAsked(filter.resourceTypeFilter, resourceTypeCodes[acl.resourceType]) &&
    matchesPattern(filter, acl) &&
    (filter.principalFilter === null || filter.principalFilter === acl.principal) &&
    (filter.hostFilter === null || filter.hostFilter === acl.host) &&
    isAsked(filter.operation, operationCodes[acl.operation]) &&
    isAsked(filter.permissionType, permissionCodes[acl.permission])
  );
}

function isAsked(asked: number, code: number): boolean {
  return asked === AclCode.ANY || asked === code;
}

/** A filter of type MATCH names a resource, and means every ACL that holds for it. */
function matchesPattern({ patternTypeFilter, resourceNameFilter: name }: AclFilter, acl: AclBinding): boolean {
  const { patternType, resourceName } = acl;
  const isMatch = patternTypeFilter === PATTERN_MATCH;
  if (!isMatch && !isAsked(patternTypeFilter, patternTypeCodes[patternType])) return false;
  if (name === null || name === resourceName) return true;
  if (!isMatch) return false;
  return patternType === "PREFIXED" ? name.startsWith(resourceName) : resourceName === WILDCARD;
}
