/**
 * LeaveGroup (key 13), versions 0-5.
 *
 * Takes members out of a classic group without waiting for their sessions to end.
 *
 * - v3: several members, by id or by instance id, each with an error of its own (KIP-345).
 * - v5: the reason why (KIP-800).
 */
import { ErrorCode } from "../errors/error-codes.js";
import type { LeaveGroupRequest, LeaveGroupResponseInit } from "../messages/generated/index.js";
import type { ApiHandler } from "./api-handler.js";

export const leaveGroup: ApiHandler<LeaveGroupRequest, LeaveGroupResponseInit> = {
  key: 13,
  versionMin: 0,
  versionMax: 5,

  async handle(context, request) {
    if (!context.connection.access.may("READ", "GROUP", request.groupId)) {
      return this.fail(request, ErrorCode.GROUP_AUTHORIZATION_FAILED);
    }
    const isBatch = context.apiVersion >= 3;
    const leaving = isBatch ? request.members : [{ memberId: request.memberId, groupInstanceId: null, reason: null }];
    const result = await context.broker.groups.leave(request.groupId, leaving);
    if (typeof result === "number") return { errorCode: result };
    if (isBatch) return { errorCode: ErrorCode.NONE, members: result };
    return { errorCode: result[0]?.errorCode ?? ErrorCode.NONE };
  },

  fail(_request, errorCode) {
    return { errorCode };
  },
};
