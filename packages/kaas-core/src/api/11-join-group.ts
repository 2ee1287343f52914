/**
 * JoinGroup (key 11), versions 0-9.
 *
 * Makes a client a member of a classic group, or asks a member again. Answered when the group has a new generation.
 *
 * - v1: a rebalance timeout apart from the session timeout (KIP-62).
 * - v4: a new member is first told its id, and joins with it (KIP-394).
 * - v5: the instance id of a static member (KIP-345).
 * - v7: the answer names the protocol type (KIP-559), and the protocol may be null.
 * - v8: the reason why the client joins (KIP-800).
 * - v9: a static leader that comes back is told to skip the assignment (KIP-814).
 */
import { ErrorCode } from "../errors/error-codes.js";
import type { JoinGroupRequest, JoinGroupResponseInit } from "../messages/generated/index.js";
import type { ApiHandler } from "./api-handler.js";

export const joinGroup: ApiHandler<JoinGroupRequest, JoinGroupResponseInit> = {
  key: 11,
  versionMin: 0,
  versionMax: 9,

  async handle(context, request) {
    if (!context.connection.access.may("READ", "GROUP", request.groupId)) {
      const protocolName = context.apiVersion >= 7 ? null : "";
      return { errorCode: ErrorCode.GROUP_AUTHORIZATION_FAILED, protocolName, leader: "", memberId: "", members: [] };
    }
    const { apiVersion, connection } = context;
    const result = await context.broker.groups.join({
      groupId: request.groupId,
      memberId: request.memberId,
      groupInstanceId: request.groupInstanceId,
      sessionTimeoutMs: request.sessionTimeoutMs,
      rebalanceTimeoutMs: apiVersion === 0 ? request.sessionTimeoutMs : request.rebalanceTimeoutMs,
      protocolType: request.protocolType,
      protocols: request.protocols,
      reason: request.reason,
      clientId: context.clientId ?? "",
      // Java's text form of an address, which tools show as it is.
      clientHost: `/${connection.remoteAddress}`,
      memberIdRequired: apiVersion >= 4,
      canSkipAssignment: apiVersion >= 9,
    });
    return apiVersion >= 7 ? result : { ...result, protocolName: result.protocolName ?? "" };
  },

  fail(request, errorCode) {
    return { errorCode, protocolName: "", leader: "", memberId: request.memberId, members: [] };
  },
};
