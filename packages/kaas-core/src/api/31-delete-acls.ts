/**
 * DeleteAcls (key 31), versions 1-3.
 *
 * Removes the ACLs that filters mean, and names them (KIP-140). What several filters mean is named by each.
 *
 * - v1: prefixed patterns (KIP-290). v3: resources of type user (KIP-373).
 */
import { ErrorCode } from "../errors/error-codes.js";
import type {
  DeleteAclsRequest,
  DeleteAclsRequestDeleteAclsFilter,
  DeleteAclsResponseDeleteAclsFilterResultInit,
  DeleteAclsResponseDeleteAclsMatchingAclInit,
  DeleteAclsResponseInit,
} from "../messages/generated/index.js";
import type { AclBinding, AclChangeRefusal } from "../ports/acls.js";
import { operationCodes, patternTypeCodes, permissionCodes, resourceTypeCodes } from "../security/acl-codes.js";
import { filterProblem, matchesFilter } from "../security/acl-filter.js";
import { changeAcls, NO_AUTHORIZER } from "./acl-refusals.js";
import type { ApiHandler } from "./api-handler.js";

type FilterResult = DeleteAclsResponseDeleteAclsFilterResultInit;

export const deleteAcls: ApiHandler<DeleteAclsRequest, DeleteAclsResponseInit> = {
  key: 31,
  versionMin: 1,
  versionMax: 3,

  async handle({ broker }, request) {
    if (!broker.authorizer.isOn) {
      const refusal = { errorCode: ErrorCode.SECURITY_DISABLED, message: NO_AUTHORIZER };
      return { filterResults: request.filters.map(() => refused(refusal)) };
    }
    const acls = broker.acls.bindings();
    const found = request.filters.map((filter) => find(acls, filter));
    const removed = new Set(found.flatMap((outcome) => ("errorCode" in outcome ? [] : outcome)));
    const failure = await changeAcls(broker, { added: [], removed: [...removed] });
    return {
      filterResults: found.map((outcome) => {
        if ("errorCode" in outcome) return refused(outcome);
        return failure === undefined ? deleted(outcome) : refused(failure);
      }),
    };
  },

  fail(request, errorCode) {
    return { filterResults: request.filters.map(() => refused({ errorCode, message: "" })) };
  },
};

function find(
  acls: readonly AclBinding[],
  filter: DeleteAclsRequestDeleteAclsFilter,
): readonly AclBinding[] | AclChangeRefusal {
  const problem = filterProblem(filter);
  if (problem !== undefined) return { errorCode: ErrorCode.INVALID_REQUEST, message: problem };
  return acls.filter((acl) => matchesFilter(filter, acl));
}

function refused({ errorCode, message }: AclChangeRefusal): FilterResult {
  return { errorCode, errorMessage: message === "" ? null : message, matchingAcls: [] };
}

function deleted(acls: readonly AclBinding[]): FilterResult {
  const matchingAcls = acls.map(
    (acl): DeleteAclsResponseDeleteAclsMatchingAclInit => ({
      errorCode: ErrorCode.NONE,
      errorMessage: null,
      resourceType: resourceTypeCodes[acl.resourceType],
      resourceName: acl.resourceName,
      patternType: patternTypeCodes[acl.patternType],
      principal: acl.principal,
      host: acl.host,
      operation: operationCodes[acl.operation],
      permissionType: permissionCodes[acl.permission],
    }),
  );
  return { errorCode: ErrorCode.NONE, errorMessage: null, matchingAcls };
}
