import type { AclBinding } from "../ports/acls.js";
import type { AskedOperation } from "./access.js";
import { WILDCARD } from "./acl-index.js";

/**
 * Whether ACLs of one client, all on resources of one type, leave a resource that it may do the operation with. Only
 * the operation itself and ALL count here, as in Apache Kafka: what others imply does not.
 */
export function mayOnAnyOf(acls: readonly AclBinding[], operation: AskedOperation): boolean {
  const ruling = acls.filter((acl) => acl.operation === operation || acl.operation === "ALL");
  const denials = ruling.filter(({ permission }) => permission === "DENY");
  if (denials.some(isWildcard)) return false;
  const deniedNames = new Set(denials.filter(({ patternType }) => patternType === "LITERAL").map(nameOf));
  const deniedPrefixes = denials.filter(({ patternType }) => patternType === "PREFIXED").map(nameOf);
  return ruling.some((acl) => {
    if (acl.permission !== "ALLOW") return false;
    if (isWildcard(acl)) return true;
    if (acl.patternType === "LITERAL" && deniedNames.has(acl.resourceName)) return false;
    return !deniedPrefixes.some((prefix) => acl.resourceName.startsWith(prefix));
  });
}

function isWildcard({ patternType, resourceName }: AclBinding): boolean {
  return patternType === "LITERAL" && resourceName === WILDCARD;
}

function nameOf({ resourceName }: AclBinding): string {
  return resourceName;
}
