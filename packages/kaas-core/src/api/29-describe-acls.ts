/**
 * DescribeAcls (key 29), versions 1-3.
 *
 * Lists the ACLs that a filter means (KIP-140).
 *
 * - v1: prefixed patterns (KIP-290). v3: resources of type user (KIP-373).
 */
import { ErrorCode } from "../errors/error-codes.js";
import type {
  DescribeAclsRequest,
  DescribeAclsResponseDescribeAclsResourceInit,
  DescribeAclsResponseInit,
} from "../messages/generated/index.js";
import type { AclBinding } from "../ports/acls.js";
import { operationCodes, patternTypeCodes, permissionCodes, resourceTypeCodes } from "../security/acl-codes.js";
import { filterProblem, matchesFilter } from "../security/acl-filter.js";
import { NO_AUTHORIZER } from "./acl-refusals.js";
import type { ApiHandler } from "./api-handler.js";

export const describeAcls: ApiHandler<DescribeAclsRequest, DescribeAclsResponseInit> = {
  key: 29,
  versionMin: 1,
  versionMax: 3,

  handle({ broker }, request) {
    if (!broker.authorizer.isOn) return refused(ErrorCode.SECURITY_DISABLED, NO_AUTHORIZER);
    const problem = filterProblem(request);
    if (problem !== undefined) return refused(ErrorCode.INVALID_REQUEST, problem);
    const found = broker.acls.bindings().filter((acl) => matchesFilter(request, acl));
    return { errorCode: ErrorCode.NONE, errorMessage: null, resources: byResource(found) };
  },

  fail(_request, errorCode) {
    return refused(errorCode, null);
  },
};

function refused(errorCode: ErrorCode, errorMessage: string | null): DescribeAclsResponseInit {
  return { errorCode, errorMessage, resources: [] };
}

function byResource(acls: readonly AclBinding[]): DescribeAclsResponseDescribeAclsResourceInit[] {
  const resources = new Map<string, AclBinding[]>();
  for (const acl of acls) {
    const key = `${acl.resourceType} ${acl.patternType} ${acl.resourceName}`;
    const others = resources.get(key);
    if (others === undefined) resources.set(key, [acl]);
    else others.push(acl);
  }
  return [...resources.values()].map((all) => {
    const { resourceType, patternType, resourceName } = all[0] as AclBinding;
    return {
      resourceType: resourceTypeCodes[resourceType],
      resourceName,
      patternType: patternTypeCodes[patternType],
      acls: all.map(({ principal, host, operation, permission }) => ({
        principal,
        host,
        operation: operationCodes[operation],
        permissionType: permissionCodes[permission],
      })),
    };
  });
}
