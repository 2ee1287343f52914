/**
 * Heartbeat (key 12), versions 0-4.
 *
 * Keeps a member of a classic group alive, and tells it when the group rebalances.
 *
 * - v3: the instance id of a static member (KIP-345).
 */
import { ErrorCode } from "../errors/error-codes.js";
import type { HeartbeatRequest, HeartbeatResponseInit } from "../messages/generated/index.js";
import type { ApiHandler } from "./api-handler.js";

export const heartbeat: ApiHandler<HeartbeatRequest, HeartbeatResponseInit> = {
  key: 12,
  versionMin: 0,
  versionMax: 4,

  handle(context, request) {
    if (!context.connection.access.may("READ", "GROUP", request.groupId)) {
      return this.fail(request, ErrorCode.GROUP_AUTHORIZATION_FAILED);
    }
    return { errorCode: context.broker.groups.heartbeat(request) };
  },

  fail(_request, errorCode) {
    return { errorCode };
  },
};
