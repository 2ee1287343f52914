/**
 * CreateAcls (key 30), versions 1-3.
 *
 * Adds ACLs (KIP-140). Each is answered for itself; those that are well formed are added together, durably, and are in
 * force with the answer.
 *
 * - v1: prefixed patterns (KIP-290). v3: resources of type user (KIP-373).
 */
import { ErrorCode } from "../errors/error-codes.js";
import type {
  CreateAclsRequest,
  CreateAclsRequestAclCreation,
  CreateAclsResponseInit,
} from "../messages/generated/index.js";
import type { AclBinding, AclChangeRefusal } from "../ports/acls.js";
import { CLUSTER_NAME } from "../security/access.js";
import { operationNames, patternTypeNames, permissionNames, resourceTypeNames } from "../security/acl-codes.js";
import { changeAcls, NO_AUTHORIZER } from "./acl-refusals.js";
import type { ApiHandler } from "./api-handler.js";

export const createAcls: ApiHandler<CreateAclsRequest, CreateAclsResponseInit> = {
  key: 30,
  versionMin: 1,
  versionMax: 3,

  async handle({ broker }, request) {
    if (!broker.authorizer.isOn) {
      return answer(request.creations.map(() => refuse(ErrorCode.SECURITY_DISABLED, NO_AUTHORIZER)));
    }
    const planned = request.creations.map((creation) => {
      const outcome = plan(creation);
      return isRefusal(outcome) ? outcome : (broker.aclAdmin?.refusalOf?.(outcome) ?? outcome);
    });
    const added = planned.filter((outcome) => !isRefusal(outcome)) as AclBinding[];
    const failure = await changeAcls(broker, { added, removed: [] });
    return answer(planned.map((outcome) => (isRefusal(outcome) ? outcome : failure)));
  },

  fail(request, errorCode) {
    return answer(request.creations.map(() => ({ errorCode, message: "" })));
  },
};

function plan(creation: CreateAclsRequestAclCreation): AclBinding | AclChangeRefusal {
  const { resourceName, principal, host } = creation;
  const resourceType = resourceTypeNames.get(creation.resourceType);
  const patternType = patternTypeNames.get(creation.resourcePatternType);
  const operation = operationNames.get(creation.operation);
  const permission = permissionNames.get(creation.permissionType);
  if (resourceType === "CLUSTER" && resourceName !== CLUSTER_NAME) {
    return invalid(`The only valid name for the CLUSTER resource is ${CLUSTER_NAME}`);
  }
  if (resourceName === "") return invalid("Invalid empty resource name");
  if (resourceType === undefined) return invalid(`Invalid resourceType ${creation.resourceType}`);
  if (patternType === undefined) return invalid(`Invalid patternType ${creation.resourcePatternType}`);
  if (operation === undefined) return invalid(`Invalid operation ${creation.operation}`);
  if (permission === undefined) return invalid(`Invalid permissionType ${creation.permissionType}`);
  if (!principal.includes(":")) {
    return invalid(
      `Could not parse principal from \`${principal}\` (no colon is present separating the principal type from the principal name)`,
    );
  }
  if (host === "") return invalid("Host should not be empty");
  return { resourceType, patternType, resourceName, principal, host, operation, permission };
}

function invalid(message: string): AclChangeRefusal {
  return refuse(ErrorCode.INVALID_REQUEST, message);
}

function refuse(errorCode: ErrorCode, message: string): AclChangeRefusal {
  return { errorCode, message };
}

function isRefusal(outcome: AclBinding | AclChangeRefusal): outcome is AclChangeRefusal {
  return "errorCode" in outcome;
}

function answer(refusals: readonly (AclChangeRefusal | undefined)[]): CreateAclsResponseInit {
  return {
    results: refusals.map((refusal) => ({
      errorCode: refusal?.errorCode ?? ErrorCode.NONE,
      errorMessage: refusal === undefined || refusal.message === "" ? null : refusal.message,
    })),
  };
}
