/**
 * DescribeGroups (key 15), versions 0-6.
 *
 * Shows classic groups to an administrator: state, members, what they said and what they were assigned.
 *
 * - v3: what the client may do with the group (KIP-430).
 * - v4: instance ids of static members (KIP-345).
 * - v6: an unknown group is an error, and errors have a message (KIP-1043); before, it is described as dead.
 */
import { ErrorCode } from "../errors/error-codes.js";
import type {
  DescribeGroupsRequest,
  DescribeGroupsResponseDescribedGroupInit,
  DescribeGroupsResponseInit,
} from "../messages/generated/index.js";
import { authorizedOperations, OPERATIONS_NOT_ASKED } from "../security/authorized-operations.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";

export const describeGroups: ApiHandler<DescribeGroupsRequest, DescribeGroupsResponseInit> = {
  key: 15,
  versionMin: 0,
  versionMax: 6,

  handle(context, request) {
    const { includeAuthorizedOperations } = request;
    return { groups: request.groups.map((groupId) => describe(context, groupId, includeAuthorizedOperations)) };
  },

  fail(request, errorCode) {
    return { groups: request.groups.map((groupId) => notDescribed(groupId, errorCode, "")) };
  },
};

function describe(
  { broker, connection, apiVersion }: RequestContext,
  groupId: string,
  isAskedForOperations: boolean,
): DescribeGroupsResponseDescribedGroupInit {
  const { access } = connection;
  if (!access.may("DESCRIBE", "GROUP", groupId)) return notDescribed(groupId, ErrorCode.GROUP_AUTHORIZATION_FAILED, "");
  const description = broker.groups.describe(groupId);
  const operations = isAskedForOperations ? authorizedOperations(access, "GROUP", groupId) : OPERATIONS_NOT_ASKED;
  if (typeof description !== "number") {
    return { ...description, errorCode: ErrorCode.NONE, authorizedOperations: operations };
  }
  if (description !== ErrorCode.GROUP_ID_NOT_FOUND) return notDescribed(groupId, description, "");
  const dead = { ...notDescribed(groupId, ErrorCode.NONE, "Dead"), errorMessage: `Group ${groupId} not found.` };
  return apiVersion >= 6 ? { ...dead, errorCode: description } : { ...dead, authorizedOperations: operations };
}

function notDescribed(
  groupId: string,
  errorCode: ErrorCode,
  groupState: string,
): DescribeGroupsResponseDescribedGroupInit {
  return { groupId, errorCode, groupState, protocolType: "", protocolData: "", members: [] };
}
